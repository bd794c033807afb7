/** The provider of the device management benchmark, in a process of its own: the emulator, and many phones. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../emulators/android-management/index.ts'
import { serveJobs } from './worker.ts'

export type EmulatorJob =
  | { step: 'start' }
  | { step: 'sign_up'; name: string }
  /** Returns when so many phones have enrolled; what they tell waits to be fetched. */
  | { step: 'enrol'; token_value: string; count: number }

export type EmulatorResult = { url: string; enterprise_token: string }

/** The most that the emulator takes. */
const PER_SECOND = 10_000
const LOOK_MS = 50

export async function serveMdmEmulator(): Promise<void> {
  let emulator: Promise<AndroidEmulator> | undefined
  await serveJobs<EmulatorJob, EmulatorResult>(async (job) => {
    emulator ??= startAndroidManagement({ port: 0 })
    const { url, control } = await emulator
    switch (job.step) {
      case 'start':
        return { url, enterprise_token: '' }
      case 'sign_up': {
        const { redirect_url } = control.completeSignup(job.name)
        const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
        return { url, enterprise_token }
      }
      case 'enrol': {
        const { token_value, count } = job
        control.startBulk({ token_value, count, per_second: PER_SECOND, reaction_ms: 0 })
        while (control.bulkProgress().is_running) await sleep(LOOK_MS)
        const { failed, error } = control.bulkProgress()
        if (failed > 0) throw new Error(`${failed} phones could not enrol: ${error}`)
        return { url, enterprise_token: '' }
      }
    }
  })
}
