import type { CreatedKey } from '../../../../src/modules/keys/schema.ts'
import { type ChangeOptions, useChange } from '../../api/read.ts'
import {
  CodeBlock,
  FormDialog,
  SecretDialog,
  SelectField,
  useFields,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { KeyFields, useKeyDraft } from './key-details.tsx'

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
  const draft = useKeyDraft()
  const hasScopes = values.kind === 'secret'
  const body = { type, ...draft.body(hasScopes) }
  const create = useKeyChange<CreatedKey>('', body, { onSuccess: onCreated })
  return (
    <FormDialog
      title="Create an API key"
      action="Create key"
      change={create}
      disabled={hasScopes && !draft.isComplete}
      onClose={onClose}
    >
      <SelectField label="Mode" {...field('mode')} options={MODES} />
      <SelectField
        label="Kind"
        {...field('kind')}
        options={KINDS}
        hint={
          hasScopes
            ? 'Access to the API. Keep it on servers, never in pages, apps or repositories.'
            : 'Can only send browser events. It is visible to everyone who opens your page.'
        }
      />
      <KeyFields draft={draft} hasScopes={hasScopes} />
    </FormDialog>
  )
}

type NewKeyProps = { created: CreatedKey; onClose: () => void }

export const NewKey = ({ created: { key }, onClose }: NewKeyProps) => (
  <SecretDialog
    title="Your new key"
    secret={key}
    what="key"
    file="vigil-api-key.txt"
    onClose={onClose}
  >
    {key.startsWith('sk_') && (
      <>
        <p>Try it:</p>
        <CodeBlock label="Example request" text={exampleOf(key)} />
      </>
    )}
  </SecretDialog>
)

const exampleOf = (key: string): string =>
  [
    `curl ${window.location.origin}/v1/check \\`,
    `  -H 'X-API-Key: ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"email":"jane@mailinator.com","event_type":"signup"}'`,
  ].join('\n')

/** The other paths are those of single keys, which are changed. */
const POSTED: readonly string[] = ['', '/roll', '/revoke']

export function useKeyChange<Result>(
  path: string,
  body: object,
  options: ChangeOptions<void, Result>,
) {
  const { id: org_id } = useOrg()
  const method = POSTED.includes(path) ? 'POST' : 'PATCH'
  return useChange<void, Result>(
    () => ({ method, path: `/console/api/keys${path}`, body: { org_id, ...body } }),
    { invalidates: ['/console/api/keys', '/console/api/audit'], quiet: true, ...options },
  )
}
