/** How long one notification takes beside the broadcast of another application, and without it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type PushBed, post, readProgress, until } from './push-bed.ts'
import { CONTENT } from './push-message.ts'
import { type Latency, summarise } from './statistics.ts'

export type Fairness = {
  probes: number
  /** From the request to the arrival at the phone. */
  alone: Latency
  beside_broadcast: Latency
  /** Notifications of the broadcast that were still to be sent when the last probe had arrived. */
  left: number
}

const PROBES = 20
/** Pauses differ, so that they do not fall in with those of the service. */
const PAUSE_MIN_MS = 30
const PAUSE_SPREAD_MS = 100
const LOOK_MS = 2

export async function measureFairness(bed: PushBed): Promise<Fairness> {
  const { crowd } = bed
  bed.tell(`${PROBES} single notifications alone`)
  await bed.provider.begin()
  const alone = await probe(bed, 0)
  bed.tell(`${PROBES} single notifications beside a broadcast`)
  await bed.provider.begin()
  const { message_id } = await post(bed, { ...CONTENT, application_id: crowd.id, all: true })
  await until('the broadcast runs', LOOK_MS, async () => {
    return (await readProgress(bed, message_id)).accepted > 0
  })
  const beside = await probe(bed, PROBES)
  const { accepted } = await readProgress(bed, message_id)
  await until('all recipients are settled', PAUSE_SPREAD_MS, async () => {
    return (await readProgress(bed, message_id)).is_complete
  })
  return {
    probes: PROBES,
    alone: summarise(alone),
    beside_broadcast: summarise(beside),
    left: crowd.tokens.length - accepted,
  }
}

/** Each to another phone. @param from the first of them */
async function probe(bed: PushBed, from: number): Promise<number[]> {
  const { few, provider } = bed
  const latencies: number[] = []
  for (let index = from; index < from + PROBES; index += 1) {
    await sleep(PAUSE_MIN_MS + Math.random() * PAUSE_SPREAD_MS)
    const id = few.subscription_ids[index] ?? ''
    const token = few.tokens[index] ?? ''
    const body = { ...CONTENT, application_id: few.id, subscription_ids: [id] }
    const { at_ms } = await post(bed, body)
    let arrived: number | undefined
    await until('the notification has arrived', LOOK_MS, async () => {
      arrived = await provider.arrival(token)
      return arrived !== undefined
    })
    latencies.push((arrived ?? Number.NaN) - at_ms)
  }
  return latencies
}
