/** Sends again what was to be delivered in a time, in portions, until all of it is queued. */
import { useRef, useState } from 'preact/hooks'
import type { Replayed } from '../../../../src/modules/webhooks/history/schema.ts'
import { ApiError } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import {
  Actions,
  Button,
  CheckField,
  Form,
  Notice,
  numberText,
  Progress,
  Section,
  TextField,
} from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CONSOLE, type Health } from './api.ts'
import { EndpointFrame } from './frame.tsx'
import { timeOf } from './local-time.ts'
import styles from './webhooks.module.css'

const REPLAYED = ['failed', 'exhausted', 'succeeded'] as const
type Status = (typeof REPLAYED)[number]

const HINTS: Record<Status, string> = {
  failed: 'The last attempt failed; it would be tried again by itself, later.',
  exhausted: 'No attempt is left: without a replay it is never sent.',
  succeeded: 'Delivered. Receivers that keep the delivery id do nothing twice.',
}

/** `stopped`: by whoever looks on; what was queued until then stays queued. */
type Run = { queued: number; state: 'running' | 'done' | 'stopped' }

export default function ReplayPage() {
  return (
    <EndpointFrame part="Replay">
      {(endpoint) => <Replay key={endpoint.id} endpoint={endpoint} />}
    </EndpointFrame>
  )
}

function Replay({ endpoint }: { endpoint: Health }) {
  const [statuses, setStatuses] = useState<readonly Status[]>(['failed', 'exhausted'])
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const { run, error, start, stop } = useReplay(endpoint, { statuses, from, until })
  const isRunning = run?.state === 'running'
  return (
    <Section title="Replay by range" class={styles['narrow'] ?? ''}>
      <Form onSubmit={() => void start()} error={error}>
        <p>
          Sends again what was to be delivered in a time, oldest first, with the same delivery ids
          and the whole schedule of attempts ahead.
        </p>
        <fieldset class={styles['events']}>
          <legend class="field-label">Which deliveries</legend>
          <div class="stack">
            {REPLAYED.map((status) => (
              <CheckField
                key={status}
                label={status}
                hint={HINTS[status]}
                checked={statuses.includes(status)}
                onChange={(isChosen) =>
                  setStatuses(
                    REPLAYED.filter((each) =>
                      each === status ? isChosen : statuses.includes(each),
                    ),
                  )
                }
              />
            ))}
          </div>
        </fieldset>
        <TextField
          label="Made from"
          name="from"
          type="datetime-local"
          value={from}
          onInput={setFrom}
          hint="In your time zone. Empty: from the first one that is kept."
        />
        <TextField
          label="Made until"
          name="until"
          type="datetime-local"
          value={until}
          onInput={setUntil}
          hint="Empty: until now."
        />
        <Actions>
          <Button type="submit" kind="primary" busy={isRunning} disabled={statuses.length === 0}>
            Replay
          </Button>
          {isRunning && <Button onClick={stop}>Stop</Button>}
        </Actions>
      </Form>
      {run && (
        <div class={styles['after']}>
          <Outcome run={run} endpoint={endpoint} />
        </div>
      )}
    </Section>
  )
}

function useReplay(
  endpoint: Health,
  { statuses, from, until }: { statuses: readonly Status[]; from: string; until: string },
) {
  const { id: org_id } = useOrg()
  const session = useSession()
  const [run, setRun] = useState<Run>()
  const [error, setError] = useState<ApiError>()
  const isStopped = useRef(false)

  const start = async () => {
    isStopped.current = false
    setError(undefined)
    let queued = 0
    let after: string | undefined
    setRun({ queued, state: 'running' })
    // What comes while it runs is not part of it.
    const end = timeOf(until) ?? new Date().toISOString()
    const body = { org_id, statuses, from: timeOf(from), until: end }
    try {
      for (;;) {
        const path = `${CONSOLE}/${endpoint.id}/replay`
        const call = { method: 'POST' as const, path, body: { ...body, after } }
        const { replayed, is_more, last_id } = await session.call<Replayed>(call)
        queued += replayed
        if (!is_more || last_id === null) return setRun({ queued, state: 'done' })
        if (isStopped.current) return setRun({ queued, state: 'stopped' })
        after = last_id
        setRun({ queued, state: 'running' })
      }
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      setError(failure)
      setRun(queued > 0 ? { queued, state: 'stopped' } : undefined)
    }
  }
  return {
    run,
    error,
    start,
    stop: () => {
      isStopped.current = true
    },
  }
}

const COUNT_REFRESH_MS = 2000

function Outcome({ run: { queued, state }, endpoint }: { run: Run; endpoint: Health }) {
  const { id: org_id } = useOrg()
  const rates = useRead<{ endpoint_id: string; pending: number }[]>(
    `${CONSOLE}/rates`,
    { org_id, hours: 24 * 90 },
    { refresh_ms: COUNT_REFRESH_MS },
  )
  const pending = rates.data?.find(({ endpoint_id }) => endpoint_id === endpoint.id)?.pending ?? 0
  const number = numberText(queued)
  if (state === 'running') return <Progress label={`${number} queued so far…`} />
  if (queued === 0) {
    return (
      <Notice>
        <p role="status">No delivery is like that: nothing was queued.</p>
      </Notice>
    )
  }
  return (
    <Notice tone={state === 'done' ? 'good' : 'warn'}>
      <p role="status">
        {number} {queued === 1 ? 'delivery' : 'deliveries'} queued
        {state === 'stopped' && ', then it was stopped'}.{' '}
        {endpoint.status === 'paused'
          ? 'They go out when the endpoint is resumed.'
          : pending > 0
            ? `${numberText(pending)} of the newest 500 wait to be tried.`
            : 'Of the newest 500, all have been tried.'}
      </p>
      <p>
        <PageLink to={`/webhooks/${endpoint.id}/deliveries`}>Look at the deliveries</PageLink>
      </p>
    </Notice>
  )
}
