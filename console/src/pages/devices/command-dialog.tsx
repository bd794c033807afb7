/** A command, with what it needs, and typed once more where it cannot be taken back. */
import { useRef, useState } from 'preact/hooks'
import type { CommandRequest } from '../../../../src/modules/mdm/commands/schema.ts'
import { useChange } from '../../api/read.ts'
import { Actions, Button, Dialog, Form, TextArea, TextField } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { CHANGED } from './names.ts'
import { COMMANDS } from './words.ts'

type Props = {
  type: CommandRequest['type']
  /** Where commands are made: of a device, or of a group. */
  path: string
  /** "Till 3", "all 40 devices of Stores in Bern". */
  to: string
  onClose: () => void
}

export function CommandDialog({ type, path, to, onClose }: Props) {
  const { id: org_id } = useOrg()
  const [password, setPassword] = useState('')
  const [packages, setPackages] = useState('')
  const [typed, setTyped] = useState('')
  const { label, does, is_destructive } = COMMANDS[type]
  const isReady = !is_destructive || typed === type
  const send = useChange(
    () => ({
      method: 'POST',
      path,
      query: { org_id },
      body: requestOf(type, password, packages),
    }),
    { quiet: true, changes: CHANGED, done: `${label}: queued`, onDone: onClose },
  )
  const isSent = useRef(false)
  const submit = () => {
    // The button is off only when it is drawn again, and a second press may be faster.
    if (!isReady || isSent.current) return
    isSent.current = true
    send.mutate(undefined, {
      onError: () => {
        isSent.current = false
      },
    })
  }
  return (
    <Dialog title={`${label}: ${to}`} onClose={onClose}>
      <Form onSubmit={submit} error={send.error}>
        <p class="prose">{does}</p>
        {type === 'RESET_PASSWORD' && (
          <TextField
            label="New password"
            name="new_password"
            hint="Left empty, the device has none afterwards. It is shown nowhere."
            value={password}
            onInput={setPassword}
            type="password"
            autocomplete="new-password"
            maxLength={256}
          />
        )}
        {type === 'CLEAR_APP_DATA' && (
          <TextArea
            label="Packages"
            name="package_names"
            hint="One on a line, such as com.example.till."
            value={packages}
            onInput={setPackages}
            spellcheck={false}
          />
        )}
        {is_destructive && (
          <TextField
            label={`Type “${type}” to confirm`}
            value={typed}
            onInput={setTyped}
            autocomplete="off"
            spellcheck={false}
          />
        )}
        <Actions>
          <Button
            type="submit"
            kind={is_destructive ? 'danger' : 'primary'}
            busy={send.isPending}
            disabled={!isReady}
          >
            {label}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

function requestOf(type: CommandRequest['type'], password: string, packages: string) {
  if (type === 'RESET_PASSWORD' && password !== '') return { type, new_password: password }
  if (type !== 'CLEAR_APP_DATA') return { type }
  return { type, package_names: packages.split(/\s+/).filter((name) => name !== '') }
}
