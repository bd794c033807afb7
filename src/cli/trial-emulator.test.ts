import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startAndroidManagement } from '../../emulators/android-management/index.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import {
  createTrialEmulator,
  findTrialUrl,
  isOffered,
  type TrialEmulator,
} from './trial-emulator.ts'

let folder = ''
let open: TrialEmulator[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-trial-'))
  open = []
})
afterEach(async () => {
  for (const emulator of open) await emulator.close()
  rmSync(folder, { recursive: true })
})

function create(): TrialEmulator {
  const options = { data_dir: folder, log: createLog('silent') }
  const emulator = createTrialEmulator({ ...options, startAndroid: startAndroidManagement })
  open.push(emulator)
  return emulator
}

/** Uses a new connection, because the next emulator may have the same port. */
async function keyAt(url: string | undefined): Promise<string> {
  const { body } = await request(`${url}/control/service-account`, {
    dispatcher: new Agent(),
    reset: true,
  })
  return ((await body.json()) as { private_key_id: string }).private_key_id
}

/** Returns the id of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

describe('the trial emulator', () => {
  it('runs once for all processes that share a data directory', async () => {
    const urls = await Promise.all([create().url(), create().url(), create().url()])
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(new Set(urls).size).toBe(1)
    expect(findTrialUrl(folder)).toBe(urls[0])
    expect(statSync(join(folder, 'android-management')).mode & 0o077).toBe(0)
  })

  it('is taken over with its state when its process ends', async () => {
    const [first, second] = [create(), create()]
    const url = await first.url()
    const key = await keyAt(url)
    expect(await second.url()).toBe(url)
    await first.close()
    expect(findTrialUrl(folder)).toBeUndefined()
    expect(await keyAt(await second.url())).toBe(key)
    expect(await first.url()).toBeUndefined()
  })

  it('is taken over from a process that was killed, even during its start', async () => {
    const place = join(folder, 'android-management')
    mkdirSync(place)
    const pid = await endedPid()
    writeFileSync(join(place, 'owner.json'), JSON.stringify({ pid, url: 'http://127.0.0.1:9' }))
    writeFileSync(join(place, 'owner.lock'), String(pid))
    expect(findTrialUrl(folder)).toBeUndefined()
    const url = await create().url()
    expect(await keyAt(url)).toMatch(/\w/)
    expect(findTrialUrl(folder)).toBe(url)
  })

  it('is not confused with another program at the address of an ended process', async () => {
    const stranger = await startAndroidManagement({ port: 0 })
    try {
      const place = join(folder, 'android-management')
      mkdirSync(place)
      const owner = { pid: await endedPid(), url: stranger.url }
      writeFileSync(join(place, 'owner.json'), JSON.stringify(owner))
      const url = await create().url()
      expect(url).toMatch(/^http:/)
      expect(url).not.toBe(stranger.url)
    } finally {
      await stranger.close()
    }
  })

  it('has no address when it cannot be run, and throws nothing', async () => {
    writeFileSync(join(folder, 'android-management'), 'a file where the folder should be')
    expect(await create().url()).toBeUndefined()
  })

  it('is offered only with the embedded database and no other address', () => {
    expect(isOffered(readConfig({}))).toBe(true)
    expect(isOffered(readConfig({ DATABASE_URL: 'postgres://localhost/vigil' }))).toBe(false)
    const elsewhere = { VIGIL_ANDROID_MANAGEMENT_URL: 'http://127.0.0.1:5490' }
    expect(isOffered(readConfig(elsewhere))).toBe(false)
  })
})
