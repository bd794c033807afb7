import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHealth } from './health.ts'
import { markService } from './service-mark.ts'

let folder = ''
let status = 200
let server: Server
let url = ''
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-health-'))
  status = 200
  server = createServer(({ url: path }, response) => {
    response.writeHead(path === '/healthz' ? status : 404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

async function health(): Promise<string[]> {
  const lines: string[] = []
  const stdout = (line: string) => void lines.push(line)
  const environment = { VIGIL_DATA_DIR: folder }
  await checkHealth({ stdout, stderr: stdout, environment, working_folder: folder })
  return lines
}

const markedFile = (): string => join(folder, 'run', readdirSync(join(folder, 'run'))[0] ?? '')

describe('vigil health', () => {
  it('fails without a service, and after it was stopped or killed', async () => {
    await expect(health()).rejects.toThrow('No service is ready')
    const remove = markService(folder, { role: 'worker', url: undefined })
    expect(await health()).toEqual([`worker (PID ${process.pid}): healthy`])
    remove()
    await expect(health()).rejects.toThrow('No service is ready')
    const killed = { pid: 2 ** 30, role: 'worker' }
    writeFileSync(join(folder, 'run', `service-${hostname()}-1.json`), JSON.stringify(killed))
    await expect(health()).rejects.toThrow('No service is ready')
  })

  it('sends a request to a service with a port', async () => {
    const remove = markService(folder, { role: 'api', url })
    expect(await health()).toEqual([`api (PID ${process.pid}): healthy`])
    status = 500
    await expect(health()).rejects.toThrow(`role api does not respond at ${url}`)
    remove()
  })

  it('fails when a worker has not been active for half a minute', async () => {
    const remove = markService(folder, { role: 'worker', url: undefined })
    const past = new Date(Date.now() - 31_000)
    utimesSync(markedFile(), past, past)
    await expect(health()).rejects.toThrow('role worker has not responded for 31 s')
    remove()
  })
})
