/** Chooses the keys of the shortcuts that are one key. */
import { useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Actions, Form } from '../components/form.tsx'
import { useToasts } from '../components/toasts.tsx'
import { SingleKeySwitch } from './single-key-switch.tsx'
import {
  chooseKeys,
  DEFAULT_KEYS,
  type Keys,
  keysFault,
  readKeys,
  type Shortcut,
} from './single-keys.ts'

export const SHORTCUT_TEXTS: Readonly<Record<Shortcut, string>> = {
  search: 'Search everything',
  help: 'Show the shortcuts',
  next: 'Next case or review',
  previous: 'Previous case or review',
  fraud: 'Mark as fraud',
  legitimate: 'Mark as legitimate',
  note: 'Write a note about a review',
  undo: 'Return to the last decision about a review',
}

export function ShortcutFields() {
  const [keys, setKeys] = useState(readKeys)
  const toasts = useToasts()
  const fault = keysFault(keys)
  const save = (chosen: Keys) => {
    chooseKeys(chosen)
    setKeys(chosen)
    toasts.show('Shortcuts saved in this browser')
  }
  return (
    <Form onSubmit={() => fault === undefined && save(keys)}>
      <SingleKeySwitch />
      <div class="shortcuts">
        {(Object.keys(DEFAULT_KEYS) as Shortcut[]).map((name) => (
          <TextField
            key={name}
            label={SHORTCUT_TEXTS[name]}
            value={keys[name]}
            maxLength={1}
            autocomplete="off"
            spellcheck={false}
            onChange={(key) => setKeys({ ...keys, [name]: key })}
          />
        ))}
      </div>
      {/* It is there before the first fault, so that screen readers read it. */}
      <p class="form-fault" role="status">
        {fault}
      </p>
      <Actions>
        <Button type="submit" disabled={fault !== undefined}>
          Save shortcuts
        </Button>
        <Button onClick={() => save(DEFAULT_KEYS)}>Restore the usual keys</Button>
      </Actions>
    </Form>
  )
}
