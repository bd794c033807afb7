/**
 * Throughput of device enrollment: the notifications of thousands of devices, which the emulator holds, are
 * pulled, applied and acknowledged, against single-row commits on the same PostgreSQL server.
 */

import type { Stores } from '../src/app/stores.ts'
import { applyOperations, endCommandsOfDevices } from '../src/modules/mdm/commands/completion.ts'
import { createConnection } from '../src/modules/mdm/connection/service.ts'
import { createDeviceWriter } from '../src/modules/mdm/devices/device-writer.ts'
import { createPuller } from '../src/modules/mdm/notifications/puller.ts'
import { createNotifications } from '../src/modules/mdm/notifications/service.ts'
import { readOverview } from '../src/modules/mdm/overview/store.ts'
import { createAndroidManagement } from '../src/modules/mdm/providers/android-management.ts'
import type { AndroidManagement } from '../src/modules/mdm/providers/port.ts'
import { addWorker, type Context, openBenchStores, startBed, waitUntil } from './bed.ts'
import type { MdmEmulatorJob, MdmEmulatorResult } from './mdm-emulator.ts'
import { prepareEnrollment } from './mdm-enrollment.ts'
import type { Findings } from './report.ts'
import { compare, measure, type Run } from './rounds.ts'
import { createInserts } from './service-load.ts'

const SUBJECT = 'notifications'
const LIMIT = 'INSERT'
const DEVICES = 20_000
const DEVICES_QUICK = 2_000
const INSERTING_CLIENTS = 8
const DEADLINE_MS = 15_000
const DRAIN_MS = 5_000
const POLL_MS = 20
/** A pull waits for more notifications, so the end shows only in the time without any. */
const QUIET_MS = 1_500
const AIM_PER_SECOND = 5000

export async function benchMdm(context: Context): Promise<Findings> {
  const { options, cleanup } = context
  const bed = await startBed(context)
  const stores = await openBenchStores(bed.data_dir)
  cleanup.add(stores.close)
  const insert = createInserts(bed)
  const emulator = addWorker<MdmEmulatorJob, MdmEmulatorResult>(bed, 'mdm-emulator')
  const { url } = await emulator.run({ step: 'start' })
  const provider = connectProvider(stores, url)
  const { org_id, token_value } = await prepareEnrollment(stores, provider, emulator)
  const count = options.is_quick ? DEVICES_QUICK : DEVICES
  let enrolled = 0
  const rows = await compare(
    bed,
    { scenario: `${count} devices enroll`, subjects: [SUBJECT], limit: LIMIT },
    async (name) => {
      if (name === LIMIT) return await insert({ clients: INSERTING_CLIENTS, table: 'rows' })
      await emulator.run({ step: 'enroll', token_value, count })
      enrolled += count
      return await measure(bed, {
        // This process pulls and applies, as the service does.
        parties: { service: process.pid, postgres: bed.postgres, receiver: emulator.pid },
        run: async () => await pull(stores, provider, { org_id, enrolled }),
      })
    },
  )
  const rate = rows[0]?.per_second ?? 0
  const text = `${rate.toFixed(0)} notifications per second, aim ${AIM_PER_SECOND} or more`
  const aims = [{ is_met: rate >= AIM_PER_SECOND, text }]
  return { unit: 'notifications, two of each device', rows, notes: [], aims }
}

function connectProvider(stores: Stores, android_management_url: string): AndroidManagement {
  const options = { ...stores, android_management_url, deadline_ms: DEADLINE_MS }
  return createAndroidManagement({
    connection: createConnection(options).resolve,
    deadline_ms: DEADLINE_MS,
    now: () => stores.clock.now(),
  })
}

/** Measures from the first pull to the last acknowledgment. */
async function pull(
  { db, clock, newId, log }: Stores,
  provider: AndroidManagement,
  { org_id, enrolled }: { org_id: string; enrolled: number },
): Promise<Run> {
  const settings = { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 }
  const writer = createDeviceWriter({ newId, settings, endCommandsOfDevices })
  const { take } = createNotifications({ db, clock, newId, log, writer, applyOperations })
  let units = 0
  const begun = performance.now()
  let last = begun
  const puller = createPuller({
    provider,
    take: async (messages) => {
      const taken = await take(messages)
      units += taken.filter(({ is_done }) => is_done).length
      last = performance.now()
      return taken
    },
    hasEnterprise: () => Promise.resolve(true),
    log,
  })
  puller.start()
  await waitUntil('all devices are enrolled', POLL_MS, async () => {
    if (performance.now() - last < QUIET_MS) return false
    return (await readOverview(db, org_id)).active_devices === enrolled
  })
  await puller.stop(DRAIN_MS)
  return { units, per_second: units / ((last - begun) / 1000) }
}
