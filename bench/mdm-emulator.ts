/** The provider of the device management benchmark in a process of its own: the emulator with many devices. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../emulators/android-management/index.ts'
import { serveJobs } from './worker.ts'

export type MdmEmulatorJob =
  | { step: 'start' }
  | { step: 'sign_up'; name: string }
  /** Ends when the devices have enrolled and their notifications are waiting to be pulled. */
  | { step: 'enroll'; token_value: string; count: number }

export type MdmEmulatorResult = { url: string; enterprise_token: string }

/** The emulator accepts no higher rate. */
const PER_SECOND = 10_000
const POLL_MS = 50

export async function serveMdmEmulator(): Promise<void> {
  let emulator: AndroidEmulator | undefined
  await serveJobs<MdmEmulatorJob, MdmEmulatorResult>(async (job) => {
    emulator ??= await startAndroidManagement({ port: 0 })
    const { url, control } = emulator
    switch (job.step) {
      case 'start':
        return { url, enterprise_token: '' }
      case 'sign_up': {
        const { redirect_url } = control.completeSignup(job.name)
        const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken') ?? ''
        return { url, enterprise_token }
      }
      case 'enroll': {
        const { token_value, count } = job
        control.startBulk({ token_value, count, per_second: PER_SECOND, reaction_ms: 0 })
        while (control.bulkProgress().is_running) await sleep(POLL_MS)
        const { failed, error } = control.bulkProgress()
        if (failed > 0) throw new Error(`${failed} devices could not enroll: ${error}`)
        return { url, enterprise_token: '' }
      }
    }
  })
}
