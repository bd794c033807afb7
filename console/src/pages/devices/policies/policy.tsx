import { useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { type Read, useChange } from '../../../api/read.ts'
import {
  Actions,
  Button,
  DetailPage,
  Notice,
  numberText,
  Section,
  Time,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { MDM_QUERIES, useMdmRead } from '../names.ts'
import { PublishState } from '../states.tsx'
import { TestModeNotice } from '../tabs.tsx'
import { Conflict } from './conflict.tsx'
import { isChanged, useDraft } from './editor/draft.ts'
import { JsonEditor } from './editor/json-editor.tsx'
import { useFaults } from './editor/use-faults.ts'
import { PolicyFields } from './fields.tsx'
import { Review } from './review.tsx'
import { Versions } from './versions.tsx'

const PENDING_MS = 2000
const IDLE_MS = 15_000

export default function PolicyPage() {
  const { id } = useParams<{ id: string }>()
  const read = useMdmRead<Policy>(`/console/api/mdm/policies/${encodeURIComponent(id)}`, {
    refresh_ms: (loaded) => (loaded?.publish_state === 'waiting' ? PENDING_MS : IDLE_MS),
  })
  return (
    <DetailPage
      read={read}
      what="policy"
      title={({ name }) => name}
      up={{ to: '/devices/policies', label: 'Policies' }}
      lead={(policy) => <Lead policy={policy} />}
      actions={(policy) => (
        <PageLink to="/devices/fleet" query={{ policy_id: policy.id }} class="button">
          View devices
        </PageLink>
      )}
      toolbar={<TestModeNotice />}
    >
      {(policy) => <PolicyEditor key={policy.id} policy={policy} read={read} />}
    </DetailPage>
  )
}

const Lead = ({ policy: { version, publish_state, updated_at } }: { policy: Policy }) => (
  <span class="row">
    <span>Version {numberText(version)}</span>
    <PublishState publish_state={publish_state} />
    <span>
      updated <Time at={updated_at} as="age" />
    </span>
  </span>
)

function PolicyEditor({ policy, read }: { policy: Policy; read: Read<Policy> }) {
  const { is_admin } = useOrg()
  const { draft, isRestored, change, discard } = useDraft(policy)
  const { value, ...checked } = useFaults(draft.text)
  const [isReviewed, setReviewed] = useState(false)
  const isDirty = isChanged(draft, policy)
  const isStale = isDirty && draft.based_on !== policy.updated_at
  const isValid = value !== undefined && checked.faults.length === 0 && draft.name !== ''

  if (isReviewed && value) {
    return (
      <Review
        policy={policy}
        draft={draft}
        value={value}
        onSaved={() => {
          setReviewed(false)
          discard()
        }}
        onConflict={() => void read.refetch()}
        onBack={() => setReviewed(false)}
        isStale={isStale}
      />
    )
  }
  return (
    <>
      {policy.publish_error !== null && <Rejected policy={policy} />}
      {isStale && (
        <Conflict
          policy={policy}
          draft={draft}
          onKeep={() => change({ based_on: policy.updated_at, version: policy.version })}
          onDiscard={() => discard()}
        />
      )}
      <Section
        title="Policy"
        actions={
          isDirty && (
            <span class="muted" role="status">
              {isRestored ? 'Unsaved draft from earlier' : 'Unsaved draft'}
            </span>
          )
        }
      >
        <div class="form">
          <PolicyFields fields={draft} onChange={change} isReadOnly={!is_admin} />
          <JsonEditor
            label="policy_json"
            value={draft.text}
            onChange={(text) => change({ text })}
            {...checked}
            isReadOnly={!is_admin}
          />
          {is_admin ? (
            <Actions>
              <Button
                kind="primary"
                disabled={!isDirty || !isValid || isStale}
                onClick={() => setReviewed(true)}
              >
                Review and save
              </Button>
              <Button disabled={!isDirty} onClick={() => discard()}>
                Discard draft
              </Button>
              {isDirty && !isValid && (
                <span class="muted">
                  {draft.name === '' ? 'Enter a name.' : 'Fix the errors before you save.'}
                </span>
              )}
            </Actions>
          ) : (
            <p class="muted">Only owners and admins can change policies.</p>
          )}
        </div>
      </Section>
      <Versions policy={policy} onLoad={is_admin && ((text) => change({ text }))} />
    </>
  )
}

/** Saving the unchanged policy publishes it again. */
function Rejected({ policy }: { policy: Policy }) {
  const { id: org_id, is_admin } = useOrg()
  const retry = useChange(
    () => ({
      method: 'PATCH',
      path: `/console/api/mdm/policies/${policy.id}`,
      // `based_on` prevents reverting a change that someone saved in the meantime.
      body: { org_id, based_on: policy.updated_at, policy_json: policy.policy_json },
    }),
    { invalidates: MDM_QUERIES, toast: 'The policy will be sent to Google again' },
  )
  return (
    <div class="section">
      <Notice tone="bad">
        <p>
          Google rejected version {policy.version}: {policy.publish_error} Devices keep the previous
          version.
        </p>
        {is_admin && (
          <Actions>
            <Button size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
              Send again
            </Button>
          </Actions>
        )}
      </Notice>
    </div>
  )
}
