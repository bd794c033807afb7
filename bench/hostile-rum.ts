/**
 * Log intake of one organization while another one's public key, copied from a page, floods the service with
 * expensive RUM events. All limits are the defaults.
 */
import { addWorker, type Bed } from './bed.ts'
import type { ScenarioFindings, Scene } from './hostile-scene.ts'
import type { HttpLoadJob, HttpLoadResult } from './http-load.ts'
import { fine } from './report.ts'
import { combine, measure, type Row, repeat, type Sample } from './rounds.ts'
import type { Service } from './service.ts'
import { median } from './statistics.ts'

const FLOOD_CLIENTS = 40
/** Tills send when they have something to say, regardless of each other. */
const NEIGHBOR = { kind: 'till-logs', clients: 16, per_second: 50 } as const
/** A 99th percentile needs hundreds of requests, and the limits work in windows of ten seconds. */
const SECONDS_MIN = 10
/** The analytics engine starts with the first logs. */
const WARM_SECONDS = 8
const ALONE = 'without a flood'
const FLOODED = 'during a flood'
const AIM_P99_RATIO = 1.5

type Flooded = Sample & {
  /** Requests of the flood, and those of them that were accepted. */
  requests: number
  accepted: number
  /** Processor time of the service for a request of the flood. */
  cpu_ms: number
}

export async function floodWithNeighbor(scene: Scene): Promise<ScenarioFindings> {
  const { bed, service, senders } = scene
  const neighbor = createSender(bed, { service, key: senders.neighbor, ...NEIGHBOR })
  const attacker = createSender(bed, {
    service,
    key: senders['public key'],
    kind: 'rum-flood',
    clients: FLOOD_CLIENTS,
  })
  const seconds = Math.max(SECONDS_MIN, bed.options.seconds)
  const parties = { load: neighbor.pid, service: service.pid, postgres: bed.postgres }
  const measureAlone = async () =>
    await measure(bed, { parties, service, run: async () => await neighbor.send(seconds) })
  bed.onProgress('warming up')
  await neighbor.send(WARM_SECONDS)
  const alone: Sample[] = []
  const flooded: Flooded[] = []
  const measureFlooded = async (usual: Sample): Promise<Flooded> => {
    let [requests, accepted, batches] = [0, 0, 0]
    const run = async () => {
      const [result, flood] = await Promise.all([neighbor.send(seconds), attacker.send(seconds)])
      requests = flood.units
      accepted = flood.marked
      batches = result.units
      return result
    }
    const sample = await measure(bed, { parties, service, run })
    const extraUs = (sample.cpu_us.service ?? Number.NaN) - (usual.cpu_us.service ?? Number.NaN)
    return { ...sample, requests, accepted, cpu_ms: (extraUs * batches) / requests / 1000 }
  }
  await repeat(bed, 'log intake during a flood', async () => {
    const usual = await measureAlone()
    alone.push(usual)
    flooded.push(await measureFlooded(usual))
  })
  return findingsOf(alone, flooded)
}

function findingsOf(alone: Sample[], flooded: Flooded[]): ScenarioFindings {
  const scenario = 'log batches of another organization'
  const rows: Row[] = [
    { scenario, subject: ALONE, ...combine(alone) },
    { scenario, subject: FLOODED, ...combine(flooded) },
  ]
  const ratio = median(
    flooded.map(({ p99_ms }, round) => (p99_ms ?? NaN) / (alone[round]?.p99_ms ?? NaN)),
  )
  const of = (figure: 'requests' | 'accepted' | 'cpu_ms') =>
    median(flooded.map((one) => one[figure]))
  return {
    rows,
    notes: [
      'during the flood, a unit is a log batch of 20 entries',
      `the flood: ${of('requests').toFixed(0)} requests, ${of('accepted').toFixed(0)} of them accepted`,
      `the service took ${fine(of('cpu_ms'))} ms of processor time for one of them`,
    ],
    aims: [
      {
        is_met: ratio < AIM_P99_RATIO,
        text: `p99 ${FLOODED} to ${ALONE}: ${fine(ratio)}, aim below ${AIM_P99_RATIO}`,
      },
    ],
  }
}

type SenderOptions = Pick<HttpLoadJob, 'kind' | 'clients' | 'per_second'> & {
  service: Service
  key: string
}

function createSender(bed: Bed, { service, key, ...job }: SenderOptions) {
  const worker = addWorker<HttpLoadJob, HttpLoadResult>(bed, 'http-load')
  return {
    pid: worker.pid,
    send: async (seconds: number) =>
      await worker.run({ port: service.port, keys: [key], warm_seconds: 0, seconds, ...job }),
  }
}
