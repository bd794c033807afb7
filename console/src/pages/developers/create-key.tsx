import type { CreatedKey } from '../../../../src/modules/keys/schema.ts'
import { type ChangeOptions, useChange } from '../../api/read.ts'
import {
  Actions,
  Button,
  CodeBlock,
  Dialog,
  FormDialog,
  Secret,
  SelectField,
  useFields,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

type Props = { onCreated: (created: CreatedKey) => void; onClose: () => void }

const MODES = [
  { value: 'test', label: 'Test: free, separate from live data' },
  { value: 'live', label: 'Live: real traffic, costs credits' },
] as const
const KINDS = [
  { value: 'secret', label: 'Secret: for servers' },
  { value: 'public', label: 'Public: for browsers and apps' },
] as const

export function CreateKey({ onCreated, onClose }: Props) {
  const { values, field } = useFields<{ mode: 'test' | 'live'; kind: 'secret' | 'public' }>({
    mode: 'test',
    kind: 'secret',
  })
  const type = `${values.mode}_${values.kind}`
  const create = useKeyChange<CreatedKey>('', { type }, { onSuccess: onCreated })
  return (
    <FormDialog title="Create an API key" action="Create key" change={create} onClose={onClose}>
      <SelectField label="Mode" {...field('mode')} options={MODES} />
      <SelectField
        label="Kind"
        {...field('kind')}
        options={KINDS}
        hint={
          values.kind === 'secret'
            ? 'Full access to the API. Keep it on servers, never in pages, apps or repositories.'
            : 'Can only send browser events. It is visible to everyone who opens your page.'
        }
      />
    </FormDialog>
  )
}

type NewKeyProps = { created: CreatedKey; onClose: () => void }

export const NewKey = ({ created: { key }, onClose }: NewKeyProps) => (
  <Dialog title="Your new key" onClose={onClose}>
    <div class="stack">
      <Secret secret={key} what="key" />
      {key.startsWith('sk_') && (
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
  </Dialog>
)

const exampleOf = (key: string): string =>
  [
    `curl ${window.location.origin}/v1/check \\`,
    `  -H 'X-API-Key: ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"email":"jane@mailinator.com","event_type":"signup"}'`,
  ].join('\n')

export function useKeyChange<Result>(
  path: '' | '/roll' | '/revoke',
  body: object,
  options: ChangeOptions<void, Result>,
) {
  const { id: org_id } = useOrg()
  return useChange<void, Result>(
    () => ({ method: 'POST', path: `/console/api/keys${path}`, body: { org_id, ...body } }),
    { invalidates: ['/console/api/keys', '/console/api/audit'], quiet: true, ...options },
  )
}
