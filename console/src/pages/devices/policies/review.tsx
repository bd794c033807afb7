import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'preact/hooks'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import type { ApiError } from '../../../api/client.ts'
import { useChange } from '../../../api/read.ts'
import { Actions, Button, Facts, Section } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { MDM_QUERIES } from '../names.ts'
import { termText } from '../terms.ts'
import { DiffView } from './editor/diff-view.tsx'
import type { Draft } from './editor/draft.ts'
import { jsonText, placeOf } from './editor/json-text.ts'
import { PlayStoreNotice } from './play-store-notice.tsx'

type Props = {
  policy: Policy
  draft: Draft
  value: Record<string, unknown>
  isStale: boolean
  onSaved: () => void
  /** Called when someone else saved the policy first. */
  onConflict: () => void
  onBack: () => void
}

export function Review({ policy, draft, value, isStale, onSaved, onConflict, onBack }: Props) {
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
      invalidates: MDM_QUERIES,
      toast: ({ version }) => `Saved as version ${version}`,
      onSuccess: (saved) => {
        client.setQueryData([path, { org_id }], saved)
        onSaved()
      },
    },
  )
  useEffect(() => {
    if (save.error?.field === 'based_on') onConflict()
  }, [save.error])
  return (
    <Section title="Review">
      <div class="stack">
        {fields.length > 0 && <Facts facts={fields} />}
        {before === after ? (
          <p class="muted">policy_json and the version number do not change.</p>
        ) : (
          <DiffView label="Changes of policy_json" before={before} after={after} />
        )}
        <PlayStoreNotice policy={value} />
        {save.error && <SaveError error={save.error} text={draft.text} />}
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
    ...show('Mode', termText(policy.management_mode), termText(draft.management_mode)),
  ]
}

function SaveError({ error, text }: { error: ApiError; text: string }) {
  const field = error.field?.startsWith('policy_json') === true ? error.field : undefined
  return (
    <p class="form-fault" role="alert">
      {field !== undefined && `Line ${placeOf(text, field).line}: `}
      {error.field === 'based_on'
        ? 'Someone else saved this policy in the meantime. Go back to editing to see the changes.'
        : error.message}
    </p>
  )
}
