/** Keyboard shortcuts of all pages, with the keys that this person chose. */
import { Dialog } from '../components/dialog.tsx'
import { PageLink } from './links.tsx'
import { SHORTCUT_TEXTS } from './shortcut-fields.tsx'
import { SingleKeySwitch } from './single-key-switch.tsx'
import { readKeys, type Shortcut } from './single-keys.ts'

const FIXED: readonly (readonly [key: string, action: string])[] = [
  ['Ctrl K', 'Search everything'],
  ['Arrows', 'Move between the items of a list, of the menu or of tabs'],
  ['Home End', 'First and last item'],
  ['Enter', 'Open the item'],
  ['Esc', 'Close a dialog, leave a note'],
]

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const keys = Object.entries(readKeys()) as [Shortcut, string][]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <dl class="facts">
          {[...keys.map(([name, key]) => [key, SHORTCUT_TEXTS[name]] as const), ...FIXED].map(
            ([key, action]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{action}</dd>
              </div>
            ),
          )}
        </dl>
        <p class="muted">Shortcuts of a single key are disabled while you type in a field.</p>
        <SingleKeySwitch />
        <PageLink to="/profile" onClick={onClose}>
          Choose other keys
        </PageLink>
      </div>
    </Dialog>
  )
}
