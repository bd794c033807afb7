import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { useHarness } from '../../test/harness.ts'
import { readConfig } from '../config.ts'
import { type AdminOptions, openAdmin } from './admin.ts'

const harness = useHarness()

async function open(role: AdminOptions['role'], settings: Record<string, string>) {
  const { readiness, metrics, log } = harness().core
  const config = readConfig(settings)
  const admin = await openAdmin({ config, role, log, readiness, render: metrics.render })
  onTestFinished(async () => await admin?.close())
  return admin
}

async function usedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return String((server.address() as AddressInfo).port)
}

it('serves health, readiness and metrics of a worker at its port, and nothing else', async () => {
  const admin = await open('worker', { VIGIL_PORT: '0' })
  const get = async (path: string) => await fetch(`${admin?.url}${path}`)
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' })
  expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' })
  harness().core.metrics.countAttempt('webhook', 'delivered')
  const text = await (await get('/metrics')).text()
  expect(text).toMatch(/^vigil_delivery_attempts_total\{kind="webhook",outcome="delivered"\} 1$/m)
  expect((await get('/v1/orders')).status).toBe(404)
  expect((await get('/console')).status).toBe(404)
})

it.each(['all', 'api'] as const)('exists for the role %s only if it is set', async (role) => {
  expect(await open(role, { VIGIL_PORT: '0' })).toBeUndefined()
  const admin = await open(role, { VIGIL_ADMIN_PORT: '0' })
  expect((await fetch(`${admin?.url}/readyz`)).status).toBe(200)
})

it('is never the port of the API by default, even if that is free', async () => {
  const admin = await open('worker', { VIGIL_PORT: '21080' })
  expect(admin?.url).toMatch(/:22080$/)
  const last = await open('worker', { VIGIL_PORT: '65000' })
  expect((await fetch(`${last?.url}/healthz`)).status).toBe(200)
})

it('does not stop a worker when another one has the default port', async () => {
  const settings = { VIGIL_PORT: '21081' }
  expect(await open('worker', settings)).toBeDefined()
  expect(await open('worker', settings)).toBeUndefined()
})

it('must be free if it is set', async () => {
  const port = await usedPort()
  await expect(open('worker', { VIGIL_ADMIN_PORT: port })).rejects.toThrow('EADDRINUSE')
})
