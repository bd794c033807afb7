import type { ComponentChildren, FunctionComponent } from 'preact'
import { useState } from 'preact/hooks'
import { useRoute } from 'wouter'
import { findIn } from '../../api/lists.ts'
import {
  Badge,
  Button,
  DetailPage,
  Notice,
  Page,
  Tabs,
  Time,
  type Tone,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { DOCUMENTED, type Health, useEndpoints, useWebhookChange } from './api.ts'
import { PlanGate } from './plan-gate.tsx'
import { SendTest } from './send-test.tsx'
import { EndpointState } from './status.tsx'
import styles from './webhooks.module.css'

/** A page about one endpoint. The state of its content belongs to that endpoint. */
export const endpointPage =
  (part: string, Content: FunctionComponent<{ endpoint: Health }>) => () => (
    <EndpointPage part={part}>
      {(endpoint) => <Content key={endpoint.id} endpoint={endpoint} />}
    </EndpointPage>
  )

export function EndpointPage({
  part,
  up = { to: '/webhooks', label: 'Webhooks' },
  children,
}: {
  /** Title on the Free plan, which has no endpoints. */
  part: string
  up?: { to: string; label: string }
  children: (endpoint: Health) => ComponentChildren
}) {
  const [, params] = useRoute('/webhooks/:id/*?')
  const { plan } = useOrg()
  const read = findIn(useEndpoints(), ({ id }) => id === params?.id)
  if (plan === 'free') {
    return (
      <Page title={part} up={up}>
        <PlanGate>{null}</PlanGate>
      </Page>
    )
  }
  return (
    <DetailPage
      read={read}
      what="endpoint"
      title={({ url }) => url}
      up={up}
      lead={(endpoint) => <Lead endpoint={endpoint} />}
      actions={(endpoint) => <EndpointActions endpoint={endpoint} />}
    >
      {(endpoint) => (
        <>
          <EndpointNotice endpoint={endpoint} />
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
      )}
    </DetailPage>
  )
}

const Lead = ({ endpoint }: { endpoint: Health }) => (
  <span class="row">
    <EndpointState endpoint={endpoint} />
    <Badge tone={endpoint.mode === 'test' ? 'warn' : 'neutral'}>{endpoint.mode} data</Badge>
    {endpoint.description !== '' && <span>{endpoint.description}</span>}
  </span>
)

function EndpointActions({ endpoint }: { endpoint: Health }) {
  const [isTesting, setTesting] = useState(false)
  const path = `${DOCUMENTED}/${endpoint.id}`
  const isPaused = endpoint.status === 'paused'
  const pause = useWebhookChange(
    () => ({ method: 'PATCH', path, body: { status: isPaused ? 'active' : 'paused' } }),
    {
      quiet: false,
      toast: isPaused
        ? 'Resumed. Held deliveries are being sent.'
        : 'Paused. Deliveries are held until you resume.',
    },
  )
  return (
    <>
      <Button busy={pause.isPending} onClick={() => pause.mutate()}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button kind="primary" onClick={() => setTesting(true)}>
        Send test event
      </Button>
      {isTesting && <SendTest endpoint={endpoint} onClose={() => setTesting(false)} />}
    </>
  )
}

function EndpointNotice({ endpoint }: { endpoint: Health }) {
  const { status, pause_reason, paused_at, failing_since } = endpoint
  if (status === 'paused' && pause_reason === 'requested') {
    return (
      <SpacedNotice tone="info">
        Paused since <Time at={paused_at} />. Deliveries are held until you resume.
      </SpacedNotice>
    )
  }
  if (status === 'paused') {
    return (
      <SpacedNotice tone="bad">
        {pause_reason === 'gone'
          ? 'Paused because the receiver responded with 410 Gone, '
          : 'Paused because deliveries failed for too long, '}
        <Time at={paused_at} />
        {failing_since !== null && (
          <>
            , after failing since <Time at={failing_since} />
          </>
        )}
        . Fix the receiver, then resume to send the held deliveries.
      </SpacedNotice>
    )
  }
  return failing_since === null ? null : (
    <SpacedNotice tone="warn">
      All attempts have failed since <Time at={failing_since} />. Deliveries are tried one at a time
      until one succeeds. See the deliveries for the reasons.
    </SpacedNotice>
  )
}

const SpacedNotice = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <div class={styles['notice']}>
    <Notice tone={tone}>
      <p>{children}</p>
    </Notice>
  </div>
)
