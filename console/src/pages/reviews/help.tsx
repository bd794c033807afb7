/** The keys of the queue. */
import { Dialog } from '../../components/index.ts'
import styles from './reviews.module.css'

const KEYS = [
  [['j', '↓'], 'next review'],
  [['k', '↑'], 'previous review'],
  [['f'], 'decide: fraud'],
  [['l'], 'decide: legitimate'],
  [['n'], 'write a note; it is kept with the decision'],
  [['Esc'], 'leave the note'],
  [['u'], 'back to the last decision, to change it'],
  [['?'], 'these keys'],
] as const

export function KeysHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys of the review queue" onClose={onClose}>
      <dl class={styles['keys']}>
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">While you type they are letters.</p>
    </Dialog>
  )
}
