/** The words of webhooks: states of endpoints and of deliveries. */
import type { DeliveryStatus } from '../../../../src/modules/webhooks/history/schema.ts'
import { Badge, Time, type Tone } from '../../components/index.ts'
import type { Health } from './api.ts'

const TONES: Record<DeliveryStatus, Tone> = {
  pending: 'info',
  succeeded: 'good',
  failed: 'warn',
  exhausted: 'bad',
}

export const STATUS_MEANINGS: Record<DeliveryStatus, string> = {
  pending: 'Waits for its first attempt, or was told to go again.',
  succeeded: 'Delivered: a complete answer with a 2xx came in time.',
  failed: 'The last attempt failed; there will be another one.',
  exhausted: 'No attempt is left. Retry and replay start it again.',
}

export function StatusBadge({ status }: { status: DeliveryStatus }) {
  return (
    <span title={STATUS_MEANINGS[status]}>
      <Badge tone={TONES[status]}>{status}</Badge>
    </span>
  )
}

/** Active, failing, or paused and why. */
export function EndpointState({ endpoint }: { endpoint: Health }) {
  const { status, pause_reason, failing_since } = endpoint
  if (status === 'paused') {
    const why = { requested: 'paused', gone: 'paused: 410 Gone', failing: 'paused: failing' }
    return (
      <Badge tone={pause_reason === 'requested' ? 'neutral' : 'bad'}>
        {why[pause_reason ?? 'requested']}
      </Badge>
    )
  }
  return failing_since === null ? (
    <Badge tone="good">active</Badge>
  ) : (
    <Badge tone="warn">failing</Badge>
  )
}

/** Since when it is as it is, where that matters. */
export function EndpointSince({ endpoint }: { endpoint: Health }) {
  const { status, paused_at, failing_since } = endpoint
  if (status === 'paused') {
    return (
      <>
        since <Time at={paused_at} as="age" />
      </>
    )
  }
  return failing_since === null ? null : (
    <>
      since <Time at={failing_since} as="age" />
    </>
  )
}
