/** What saving would change, before it does. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import type { ApiError } from '../../../api/client.ts'
import { useChange } from '../../../api/read.ts'
import { Actions, Button, Facts, Notice, Section } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { CHANGED } from '../names.ts'
import { words } from '../words.ts'
import { DiffView } from './editor/diff-view.tsx'
import type { Draft } from './editor/draft.ts'
import { jsonText, placeOf } from './editor/json-text.ts'

type Props = {
  policy: Policy
  draft: Draft
  value: Record<string, unknown>
  isStale: boolean
  onSaved: () => void
  /** Somebody was faster. */
  onRefused: () => void
  onBack: () => void
}

export function Review({ policy, draft, value, isStale, onSaved, onRefused, onBack }: Props) {
  const { id: org_id } = useOrg()
  const client = useQueryClient()
  const path = `/console/api/mdm/policies/${policy.id}`
  const fields = changedFields(policy, draft)
  const [before, after] = [jsonText(policy.policy_json), jsonText(value)]
  const save = useChange<void, Policy>(
    () => ({
      method: 'PATCH',
      path,
      body: {
        org_id,
        based_on: draft.based_on,
        name: draft.name,
        description: draft.description,
        management_mode: draft.management_mode,
        ...(before !== after && { policy_json: value }),
      },
    }),
    {
      quiet: true,
      changes: CHANGED,
      done: ({ version }) => `Saved; version ${version}`,
      onDone: (saved) => {
        client.setQueryData([path, { org_id }], saved)
        onSaved()
      },
    },
  )
  useEffect(() => {
    if (save.error?.field === 'based_on') onRefused()
  }, [save.error])
  return (
    <Section title="Review">
      <div class="stack">
        {fields.length > 0 && <Facts facts={fields} />}
        {before === after ? (
          <p class="muted">policy_json stays as it is, and so does the version.</p>
        ) : (
          <DiffView label="Changes of policy_json" before={before} after={after} />
        )}
        {value['playStoreMode'] === undefined && (
          <Notice tone="warn">
            <p>
              Without <code>playStoreMode</code> the provider takes <code>WHITELIST</code>: what{' '}
              <code>applications</code> does not list is uninstalled.
            </p>
          </Notice>
        )}
        {save.error && <Refusal error={save.error} text={draft.text} />}
        <Actions>
          <Button
            kind="primary"
            busy={save.isPending}
            disabled={isStale}
            onClick={() => save.mutate()}
          >
            {before === after ? 'Save' : `Save as version ${policy.version + 1}`}
          </Button>
          <Button onClick={onBack}>Back to editing</Button>
        </Actions>
      </div>
    </Section>
  )
}

function changedFields(policy: Policy, draft: Draft) {
  const show = (label: string, before: string, after: string) =>
    before === after
      ? []
      : [
          [
            label,
            <>
              <del>{before || 'empty'}</del> → {after || 'empty'}
            </>,
          ] as const,
        ]
  return [
    ...show('Name', policy.name, draft.name),
    ...show('Description', policy.description, draft.description),
    ...show('Mode', words(policy.management_mode), words(draft.management_mode)),
  ]
}

function Refusal({ error, text }: { error: ApiError; text: string }) {
  const field = error.field?.startsWith('policy_json') === true ? error.field : undefined
  return (
    <p class="form-fault" role="alert">
      {field !== undefined && `Line ${placeOf(text, field).line}: `}
      {error.field === 'based_on'
        ? 'Somebody saved this policy meanwhile. Go back to editing to see what they changed.'
        : error.message}
    </p>
  )
}
