/** A new key: its type is chosen, and it is shown once. */
import { useState } from 'preact/hooks'
import type { CreatedKey, KeyRecord } from '../../../../src/modules/keys/schema.ts'
import { useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  CodeBlock,
  Dialog,
  Form,
  Secret,
  SelectField,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

type Mode = 'test' | 'live'
type Kind = 'secret' | 'public'

const MODES: readonly { value: Mode; label: string }[] = [
  { value: 'test', label: 'Test: costs nothing, data apart from live data' },
  { value: 'live', label: 'Live: real traffic, which costs credits' },
]
const KINDS: readonly { value: Kind; label: string }[] = [
  { value: 'secret', label: 'Secret: for servers' },
  { value: 'public', label: 'Public: for browsers and apps' },
]

export function CreateKey({
  onMade,
  onClose,
}: {
  onMade: (made: CreatedKey) => void
  onClose: () => void
}) {
  const { id: org_id } = useOrg()
  const [mode, setMode] = useState<Mode>('test')
  const [kind, setKind] = useState<Kind>('secret')
  const create = useChange<KeyRecord['type'], CreatedKey>(
    (type) => ({ method: 'POST', path: '/console/api/keys', body: { org_id, type } }),
    { changes: ['/console/api/keys', '/console/api/audit'], onDone: onMade, quiet: true },
  )
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <Form onSubmit={() => create.mutate(`${mode}_${kind}`)} error={create.error}>
        <SelectField label="Mode" value={mode} options={MODES} onChange={setMode} />
        <SelectField
          label="Kind"
          value={kind}
          options={KINDS}
          onChange={setKind}
          hint={
            kind === 'secret'
              ? 'May call everything. Keep it on servers, out of pages, apps and repositories.'
              : 'May only send browser events. It is seen by everybody who opens your page.'
          }
        />
        <Actions>
          <Button type="submit" kind="primary" busy={create.isPending}>
            Create key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

export function NewKey({ made: { key }, onClose }: { made: CreatedKey; onClose: () => void }) {
  const isSecret = key.startsWith('sk_')
  return (
    <div class="stack">
      <Secret secret={key} what="key" />
      {isSecret && (
        <>
          <p>Try it:</p>
          <CodeBlock label="Example request" text={exampleOf(key)} />
        </>
      )}
      <Actions>
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </div>
  )
}

const exampleOf = (key: string): string =>
  [
    `curl ${window.location.origin}/v1/check \\`,
    `  -H 'X-API-Key: ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"email":"jane@mailinator.com","event_type":"signup"}'`,
  ].join('\n')
