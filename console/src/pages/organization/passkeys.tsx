/** Lists, adds, renames and removes the passkeys of the signed-in user. */
import { useState } from 'preact/hooks'
import type { OwnPasskey } from '../../../../src/modules/accounts/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  ConfirmButton,
  FormDialog,
  List,
  Section,
  TextField,
  Time,
} from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { createPasskey, hasPasskeys } from '../../session/passkey.ts'
import { useSubmit } from '../../session/use-submit.ts'

const PATH = '/console/api/me/passkeys'
const INVALIDATES = ['/console/api/me', '/console/api/members', '/console/api/audit']
const NAME_MAX_CHARS = 100

/** @param onAdded called after a passkey was added */
export function Passkeys({ onAdded }: { onAdded?: () => void }) {
  const read = useRead<{ passkeys: OwnPasskey[] }>(PATH)
  const [open, setOpen] = useState<'add' | OwnPasskey>()
  const close = () => setOpen(undefined)
  return (
    <Section title="Passkeys">
      <p>
        A passkey signs you in with the lock of a device, such as a fingerprint, instead of the
        password and a code.
      </p>
      <List
        list={mapRead(read, ({ passkeys }) => passkeys)}
        what="passkeys"
        keyOf={({ id }) => id}
        columns={[
          { label: 'Name', isWide: true, cell: ({ name }) => name },
          { label: 'Added', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
          {
            label: 'Last used',
            cell: ({ last_used_at }) =>
              last_used_at === null ? 'Never' : <Time at={last_used_at} as="age" />,
          },
          {
            label: 'Actions',
            hideLabel: true,
            cell: (passkey) => <PasskeyActions passkey={passkey} onRename={setOpen} />,
          },
        ]}
      />
      {hasPasskeys() && (
        <Actions>
          <Button onClick={() => setOpen('add')}>Add a passkey</Button>
        </Actions>
      )}
      {open === 'add' && (
        <AddPasskey
          onClose={close}
          onAdded={() => {
            close()
            onAdded?.()
          }}
        />
      )}
      {typeof open === 'object' && <RenamePasskey passkey={open} onClose={close} />}
    </Section>
  )
}

type ActionsProps = { passkey: OwnPasskey; onRename: (passkey: OwnPasskey) => void }

function PasskeyActions({ passkey, onRename }: ActionsProps) {
  const { id, name } = passkey
  const remove = useChange(
    () => ({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}` }),
    { invalidates: INVALIDATES, toast: 'Passkey removed', quiet: true },
  )
  return (
    <Actions>
      <Button size="small" aria-label={`Rename ${name}`} onClick={() => onRename(passkey)}>
        Rename
      </Button>
      <ConfirmButton
        label="Remove"
        size="small"
        aria-label={`Remove ${name}`}
        title={`Remove ${name}?`}
        action="Remove passkey"
        change={remove}
      >
        <p>It can no longer sign you in. Delete it on the device, too.</p>
      </ConfirmButton>
    </Actions>
  )
}

const begun = (password: string) =>
  ({ method: 'POST', path: `${PATH}/begin`, body: { password } }) as const

type AddProps = { onClose: () => void; onAdded: () => void }

function AddPasskey({ onClose, onAdded }: AddProps) {
  const session = useSession()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [response, setResponse] = useState<object>()
  const add = useChange<object>(
    (created) => ({ method: 'POST', path: PATH, body: { name, response: created } }),
    { invalidates: INVALIDATES, toast: 'Passkey added', quiet: true, onSuccess: onAdded },
  )
  const begin = useSubmit(async () => {
    // The device keeps the passkey when only its name was refused.
    const created = response ?? (await createPasskey(await session.call<object>(begun(password))))
    setResponse(created)
    add.mutate(created)
  })
  const change = {
    isPending: begin.isBusy || add.isPending,
    error: begin.error ?? add.error,
    mutate: begin.submit,
  }
  return (
    <FormDialog title="Add a passkey" action="Continue" change={change} onClose={onClose}>
      <TextField
        label="Name"
        name="name"
        hint="Which device or password manager has it."
        maxLength={NAME_MAX_CHARS}
        value={name}
        onChange={setName}
        required
      />
      <TextField
        label="Your password"
        name="password"
        type="password"
        autocomplete="current-password"
        value={password}
        onChange={setPassword}
        required
      />
    </FormDialog>
  )
}

type RenameProps = { passkey: OwnPasskey; onClose: () => void }

function RenamePasskey({ passkey: { id, name: before }, onClose }: RenameProps) {
  const [name, setName] = useState(before)
  const change = useChange(
    () => ({ method: 'PATCH', path: `${PATH}/${encodeURIComponent(id)}`, body: { name } }),
    { invalidates: [PATH], toast: 'Passkey renamed', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog title={`Rename ${before}`} action="Rename" change={change} onClose={onClose}>
      <TextField
        label="Name"
        name="name"
        maxLength={NAME_MAX_CHARS}
        value={name}
        onChange={setName}
        required
      />
    </FormDialog>
  )
}
