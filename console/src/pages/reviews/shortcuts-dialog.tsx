import { Dialog } from '../../components/index.ts'
import { SingleKeySwitch } from '../../shell/single-key-switch.tsx'
import styles from './reviews.module.css'

const SHORTCUTS = [
  [['j', '↓'], 'next review'],
  [['k', '↑'], 'previous review'],
  [['f'], 'mark as fraud'],
  [['l'], 'mark as legitimate'],
  [['n'], 'write a note for the decision'],
  [['Esc'], 'leave the note field'],
  [['u'], 'return to the last decision to change it'],
  [['?'], 'show these shortcuts'],
] as const

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class={styles['keys']}>
        {SHORTCUTS.map(([keys, action]) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">Shortcuts are disabled while you type in a field.</p>
      <SingleKeySwitch />
    </Dialog>
  )
}
