import { useRef, useState } from 'preact/hooks'
import type { Command } from '../../../../src/modules/mdm/commands/schema.ts'
import { Button, FormDialog, TextArea, TextField, useFields } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { useMdmChange } from './names.ts'
import { COMMAND_TYPES, COMMANDS } from './terms.ts'

type Props = {
  /** Path of the commands of the device or group. */
  path: string
  /** "POS 3", "40 devices in Stores in Bern". */
  to: string
  /** @returns why the service would reject the command, undefined if it is possible */
  refusalOf: (type: Command['type']) => string | undefined
}

export function CommandButtons({ path, to, refusalOf }: Props) {
  const { is_admin } = useOrg()
  const [type, setType] = useState<Command['type']>()
  if (!is_admin) return <p class="muted">Only owners and admins can send commands.</p>
  return (
    <div class="actions">
      {COMMAND_TYPES.map((each) => {
        const { label, description, is_destructive } = COMMANDS[each]
        const refusal = refusalOf(each)
        return (
          <Button
            key={each}
            size="small"
            kind={is_destructive ? 'danger' : 'plain'}
            disabled={refusal !== undefined}
            title={refusal ?? description}
            onClick={() => setType(each)}
          >
            {label}
          </Button>
        )
      })}
      {type !== undefined && (
        <CommandDialog type={type} path={path} to={to} onClose={() => setType(undefined)} />
      )}
    </div>
  )
}

type DialogProps = Omit<Props, 'refusalOf'> & { type: Command['type']; onClose: () => void }

/** A destructive command must be typed to confirm it. */
function CommandDialog({ type, path, to, onClose }: DialogProps) {
  const { values, field } = useFields({ new_password: '', package_names: '', typed: '' })
  const { label, description, is_destructive } = COMMANDS[type]
  const isReady = !is_destructive || values.typed === type
  const send = useMdmChange(() => ({ method: 'POST', path, body: requestOf(type, values) }), {
    toast: `${label} command queued`,
    onSuccess: onClose,
  })
  const isSent = useRef(false)
  const submit = () => {
    // A second press can arrive before the button is rendered as disabled.
    if (!isReady || isSent.current) return
    isSent.current = true
    send.mutate(undefined, {
      onError: () => {
        isSent.current = false
      },
    })
  }
  return (
    <FormDialog
      title={`${label}: ${to}`}
      action={label}
      kind={is_destructive ? 'danger' : 'primary'}
      change={send}
      disabled={!isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      <p class="prose">{description}</p>
      {type === 'RESET_PASSWORD' && (
        <TextField
          label="New password"
          hint="Leave empty to remove the password. It is not shown again."
          {...field('new_password')}
          type="password"
          autocomplete="new-password"
          maxLength={256}
        />
      )}
      {type === 'CLEAR_APP_DATA' && (
        <TextArea
          label="Packages"
          hint="One per line, such as com.example.pos."
          {...field('package_names')}
          spellcheck={false}
        />
      )}
      {is_destructive && (
        <TextField
          label={`Type “${type}” to confirm`}
          {...field('typed')}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </FormDialog>
  )
}

function requestOf(
  type: Command['type'],
  { new_password, package_names }: { new_password: string; package_names: string },
) {
  if (type === 'RESET_PASSWORD' && new_password !== '') return { type, new_password }
  if (type !== 'CLEAR_APP_DATA') return { type }
  return { type, package_names: package_names.split(/\s+/).filter((name) => name !== '') }
}
