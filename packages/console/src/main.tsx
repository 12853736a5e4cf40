import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { Clock } from './components/time'
import './styles/tokens.css'
import './styles/base.css'
import './styles/layout.css'
import './styles/controls.css'
import './styles/records.css'
import './styles/touch.css'
import { createMarkdownLexer, MarkdownLexerContext } from './markdown/lexer'
import { applyTheme, readTheme } from './shell/theme'

// Keys that an input method takes are not ours. Safari ends the composition before the key that ends it, but has this code too.
addEventListener('keydown', (event) => event.keyCode === 229 && event.stopImmediatePropagation(), true)
applyTheme(readTheme())
const lexer = createMarkdownLexer()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MarkdownLexerContext value={lexer}>
      <Clock>
        <App />
      </Clock>
    </MarkdownLexerContext>
  </StrictMode>,
)
