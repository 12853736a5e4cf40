import type { ReactNode } from 'react'
import { commandKey, Kbd } from '../components/button'
import { Dialog } from '../components/dialog'
import '../styles/shortcuts.css'

const groups: [title: string, shortcuts: [keys: string[], what: string][]][] = [
  [
    'Everywhere',
    [
      [[`${commandKey}K`], 'Search and run commands'],
      [['c'], 'Create a task, or an item in Knowledge'],
      [['u'], 'Undo your last change'],
      [['?'], 'Show this help'],
      [['Esc'], 'Close'],
    ],
  ],
  [
    'Go to',
    [
      [['g', 'o'], 'Overview'],
      [['g', 'i'], 'Needs you'],
      [['g', 'b'], 'Board'],
      [['g', 'l'], 'List'],
      [['g', 't'], 'Tree'],
      [['g', 'd'], 'Graph'],
      [['g', 'a'], 'All tasks'],
      [['g', 'k'], 'Knowledge'],
      [['g', 'e'], 'Events'],
      [['g', 's'], 'Search'],
    ],
  ],
  [
    'Tasks',
    [
      [['j'], 'Next'],
      [['k'], 'Previous'],
      [['h'], 'Column to the left'],
      [['l'], 'Column to the right'],
      [['<'], 'Move to the previous column'],
      [['>'], 'Move to the next column'],
      [['⇧J'], 'Move down in manual order'],
      [['⇧K'], 'Move up in manual order'],
      [['⇧T'], 'Move to the top'],
      [['⇧B'], 'Move to the bottom'],
      [['x'], 'Select'],
      [['⇧X'], 'Select up to here'],
      [['⇧A'], 'Select all that match'],
      [['a'], 'Assign'],
      [['Enter'], 'Open'],
      [['/'], 'Filter'],
      [['←', '→'], 'What blocks a task, and what it blocks, in the graph'],
      [['+', '−'], 'Zoom in and out, in the graph'],
      [['0'], 'Fit the graph'],
    ],
  ],
  [
    'Deciding',
    [
      [['1', '…', '9'], 'Answer with an option'],
      [['r'], 'Write an answer or a note'],
      [['p'], 'Pass the first open check, or approve'],
      [['f'], 'Fail it, or send the task back'],
      [['w'], 'Waive it'],
      [['q'], 'Ask about the open task'],
      [['e'], 'Mark as read, in Needs you'],
    ],
  ],
  [
    'Knowledge',
    [
      [['v'], 'Verify the open item'],
      [['d'], 'Dispute it'],
      [['r'], 'Retract it, or take that back'],
      [['s'], 'Choose an item that it replaces'],
      [['x'], 'Accept what is stale, also of the open task'],
      [['[['], 'Link to an item, in the editor'],
    ],
  ],
  [
    'Editing',
    [
      [['e'], 'Edit'],
      [[`${commandKey}S`], 'Save'],
      [[`${commandKey}Enter`], 'Send a comment'],
    ],
  ],
]

export const ShortcutsDialog = ({ onClose }: { onClose: () => void }): ReactNode => (
  <Dialog title="Keyboard shortcuts" onClose={onClose} className="wide">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it */}
    <div className="dialog-body shortcuts" tabIndex={0} role="group" aria-label="Shortcuts">
      {groups.map(([title, shortcuts]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {shortcuts.map(([keys, what]) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
)
