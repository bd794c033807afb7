/** Keyboard shortcuts of all pages, shown with `?`. Those of a single key can be switched off (WCAG 2.1.4). */
import { Dialog } from '../components/dialog.tsx'
import { SingleKeySwitch } from './single-key-switch.tsx'

const KEYS: readonly (readonly [key: string, action: string])[] = [
  ['Ctrl K', 'search everything'],
  ['/', 'search everything'],
  ['?', 'show these shortcuts'],
  ['↑ ↓', 'move between the rows of a list'],
  ['Home End', 'first and last row of a list'],
  ['Enter', 'open the row'],
  ['Esc', 'close a dialog'],
]

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <dl class="facts">
          {KEYS.map(([key, action]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{action}</dd>
            </div>
          ))}
        </dl>
        <p class="muted">
          Cases and the review queue have further shortcuts, which they show with ?.
        </p>
        <SingleKeySwitch />
      </div>
    </Dialog>
  )
}
