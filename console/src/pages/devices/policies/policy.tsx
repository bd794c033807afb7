/** One policy: edited as JSON, compared before it is saved, with its earlier versions. */
import { useEffect, useState } from 'preact/hooks'
import { useParams } from 'wouter'
import type { Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { type Read, useChange, useRead } from '../../../api/read.ts'
import {
  Actions,
  Button,
  Notice,
  numberText,
  Section,
  Shown,
  Time,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { CHANGED } from '../names.ts'
import { PublishState } from '../states.tsx'
import { Conflict } from './conflict.tsx'
import { isChanged, useDraft } from './editor/draft.ts'
import { JsonEditor } from './editor/json-editor.tsx'
import { useFaults } from './editor/use-faults.ts'
import { PolicyFields } from './fields.tsx'
import { Review } from './review.tsx'
import { Versions } from './versions.tsx'

const WAITING_MS = 2000
const CALM_MS = 15_000

export default function PolicyPage() {
  const { id } = useParams<{ id: string }>()
  const { id: org_id } = useOrg()
  const [refresh_ms, setRefresh] = useState(CALM_MS)
  const read = useRead<Policy>(
    `/console/api/mdm/policies/${encodeURIComponent(id)}`,
    { org_id },
    { refresh_ms },
  )
  const policy = read.data
  const isWaiting = policy?.publish_state === 'waiting'
  useEffect(() => setRefresh(isWaiting ? WAITING_MS : CALM_MS), [isWaiting])
  return (
    <DevicesPage
      isInner
      title={policy?.name ?? 'Policy'}
      up={{ to: '/devices/policies', label: 'Policies' }}
      {...(policy && {
        lead: <Lead policy={policy} />,
        actions: (
          <PageLink to="/devices/fleet" query={{ policy_id: policy.id }} class="button">
            Show devices
          </PageLink>
        ),
      })}
    >
      <Shown read={read} what="the policy">
        {(found) => <PolicyEditor key={found.id} policy={found} read={read} />}
      </Shown>
    </DevicesPage>
  )
}

const Lead = ({ policy: { version, publish_state, updated_at } }: { policy: Policy }) => (
  <span class="row">
    <span>Version {numberText(version)}</span>
    <PublishState publish_state={publish_state} />
    <span>
      changed <Time at={updated_at} as="age" />
    </span>
  </span>
)

function PolicyEditor({ policy, read }: { policy: Policy; read: Read<Policy> }) {
  const { is_admin } = useOrg()
  const { draft, isOld, change, discard } = useDraft(policy)
  const { faults, value, isChecking } = useFaults(draft.text)
  const [isReviewed, setReviewed] = useState(false)
  const isDirty = isChanged(draft, policy)
  const isStale = isDirty && draft.based_on !== policy.updated_at
  const isSound = value !== undefined && faults.length === 0 && draft.name !== ''

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
        onRefused={() => void read.refetch()}
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
          onTake={() => discard()}
        />
      )}
      <Section
        title="Policy"
        actions={
          isDirty && (
            <span class="muted" role="status">
              {isOld ? 'A draft of earlier that is not saved' : 'Draft, not saved'}
            </span>
          )
        }
      >
        <div class="form">
          <PolicyFields fields={draft} onChange={change} isReadOnly={!is_admin} />
          <JsonEditor
            label="policy_json"
            value={draft.text}
            onInput={(text) => change({ text })}
            faults={faults}
            isChecking={isChecking}
            isReadOnly={!is_admin}
          />
          {is_admin ? (
            <Actions>
              <Button
                kind="primary"
                disabled={!isDirty || !isSound || isStale}
                onClick={() => setReviewed(true)}
              >
                Review and save
              </Button>
              <Button disabled={!isDirty} onClick={() => discard()}>
                Discard draft
              </Button>
              {isDirty && !isSound && (
                <span class="muted">
                  {draft.name === ''
                    ? 'A policy needs a name.'
                    : 'The faults are to be mended first.'}
                </span>
              )}
            </Actions>
          ) : (
            <p class="muted">Owners and admins of the organisation change policies.</p>
          )}
        </div>
      </Section>
      <Versions policy={policy} {...(is_admin && { onLoad: (text: string) => change({ text }) })} />
    </>
  )
}

/** The same once more means: try again. */
function Rejected({ policy }: { policy: Policy }) {
  const { id: org_id, is_admin } = useOrg()
  const again = useChange(
    () => ({
      method: 'PATCH',
      path: `/console/api/mdm/policies/${policy.id}`,
      // Not on top of what somebody saved meanwhile, which would be taken back.
      body: { org_id, based_on: policy.updated_at, policy_json: policy.policy_json },
    }),
    { changes: CHANGED, done: 'It is sent to the provider once more' },
  )
  return (
    <div class="section">
      <Notice tone="bad">
        <p>
          The provider does not take version {policy.version}: {policy.publish_error} Devices keep
          the version before.
        </p>
        {is_admin && (
          <Actions>
            <Button size="small" busy={again.isPending} onClick={() => again.mutate()}>
              Send again
            </Button>
          </Actions>
        )}
      </Notice>
    </div>
  )
}
