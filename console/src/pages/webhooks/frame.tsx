/** What is around the pages of one endpoint: its state, its parts, and what can be done with it. */
import type { ComponentChildren } from 'preact'
import { useRoute } from 'wouter'
import type { Delivery } from '../../../../src/modules/webhooks/schema.ts'
import { useChange } from '../../api/read.ts'
import { Badge, Button, Empty, Notice, Page, Shown, Tabs, Time } from '../../components/index.ts'
import { PageLink, useGo } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CHANGES, DOCUMENTED, type Health, useEndpoints } from './api.ts'
import { PlanGate } from './plan.tsx'
import styles from './webhooks.module.css'
import { EndpointState } from './words.tsx'

export function EndpointFrame({
  part,
  up = { to: '/webhooks', label: 'Webhooks' },
  children,
}: {
  /** Title of the window until the URL is known. */
  part: string
  up?: { to: string; label: string }
  children: (endpoint: Health) => ComponentChildren
}) {
  const [, params] = useRoute('/webhooks/:id/*?')
  const endpoints = useEndpoints()
  const id = params?.id
  const endpoint = endpoints.data?.find((each) => each.id === id)
  return (
    <Page
      title={endpoint ? endpoint.url : part}
      up={up}
      {...(endpoint && {
        lead: <Lead endpoint={endpoint} />,
        actions: <EndpointActions endpoint={endpoint} />,
      })}
    >
      <PlanGate>
        <Shown read={endpoints} what="the endpoint">
          {() =>
            endpoint ? (
              <>
                <div class={styles['standing']}>
                  <Standing endpoint={endpoint} />
                </div>
                <Tabs
                  label="Endpoint"
                  tabs={[
                    { to: `/webhooks/${endpoint.id}`, label: 'Overview' },
                    { to: `/webhooks/${endpoint.id}/deliveries`, label: 'Deliveries' },
                    { to: `/webhooks/${endpoint.id}/replay`, label: 'Replay' },
                    { to: `/webhooks/${endpoint.id}/settings`, label: 'Settings' },
                  ]}
                />
                {children(endpoint)}
              </>
            ) : (
              <Empty title="There is no such endpoint">
                <p>It was deleted, or belongs to another organisation.</p>
                <PageLink to="/webhooks">All endpoints</PageLink>
              </Empty>
            )
          }
        </Shown>
      </PlanGate>
    </Page>
  )
}

function Lead({ endpoint }: { endpoint: Health }) {
  return (
    <span class="row">
      <EndpointState endpoint={endpoint} />
      <Badge tone={endpoint.mode === 'test' ? 'warn' : 'neutral'}>{endpoint.mode} data</Badge>
      {endpoint.description !== '' && <span>{endpoint.description}</span>}
    </span>
  )
}

function EndpointActions({ endpoint }: { endpoint: Health }) {
  const { id: org_id, plan } = useOrg()
  const go = useGo()
  const path = `${DOCUMENTED}/${endpoint.id}`
  const isPaused = endpoint.status === 'paused'
  const test = useChange<void, Delivery>(
    () => ({ method: 'POST', path: `${path}/test`, body: { org_id } }),
    {
      done: 'Test event queued',
      changes: CHANGES,
      onDone: ({ id }) => go(`/webhooks/${endpoint.id}/deliveries/${id}`),
    },
  )
  const pause = useChange(
    () => ({
      method: 'PATCH',
      path,
      body: { org_id, status: isPaused ? 'active' : 'paused' },
    }),
    {
      done: isPaused
        ? 'Resumed: what was held back goes out'
        : 'Paused: events are held back until it is resumed',
      changes: CHANGES,
    },
  )
  if (plan === 'free') return null
  return (
    <>
      <Button busy={pause.isPending} onClick={() => pause.mutate()}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button kind="primary" busy={test.isPending} onClick={() => test.mutate()}>
        Send test event
      </Button>
    </>
  )
}

/** Why it is paused or failing, and what to do. */
function Standing({ endpoint }: { endpoint: Health }) {
  const { status, pause_reason, paused_at, failing_since } = endpoint
  if (status === 'paused' && pause_reason === 'requested') {
    return (
      <Notice>
        <p>
          Paused since <Time at={paused_at} />. Events are held back and go out when it is resumed.
        </p>
      </Notice>
    )
  }
  if (status === 'paused') {
    return (
      <Notice tone="bad">
        <p>
          {pause_reason === 'gone'
            ? 'Your receiver answered 410 Gone, so it was paused '
            : 'Nothing could be delivered for too long, so it was paused '}
          at <Time at={paused_at} />
          {failing_since !== null && (
            <>
              ; it had failed since <Time at={failing_since} />
            </>
          )}
          . Mend the receiver, then resume: what was held back goes out.
        </p>
      </Notice>
    )
  }
  return failing_since === null ? null : (
    <Notice tone="warn">
      <p>
        Every attempt has failed since <Time at={failing_since} />. One delivery is tried at a time
        until one gets through; the reasons are among the deliveries.
      </p>
    </Notice>
  )
}
