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
