import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createBareServer } from '../../../../test/support/bare-server.ts'
import type { App } from '../../../platform/http/app.ts'
import { createExportLimit } from './export-limit.ts'

const apps: App[] = []
afterEach(async () => {
  await Promise.all(apps.splice(0).map(async (app) => await app.close()))
})

/** A server whose exports run until `finish` is called. */
async function serve(perOrganization: number, all?: number) {
  const app = createBareServer()
  const exportLimit = createExportLimit({ mdm_exports_max: perOrganization }, all)
  const waiting: (() => void)[] = []
  let failing = false
  let beforeBegin = (_response: ServerResponse) => Promise.resolve()
  let closed = 0
  app.get<{ Params: { org: string } }>(
    '/:org',
    { config: { access: 'public' } },
    async (request, reply) => {
      reply.raw.once('close', () => (closed += 1))
      await beforeBegin(reply.raw)
      exportLimit.begin(request.params.org, reply.raw)
      if (failing) throw new Error('the database is unavailable')
      await new Promise<void>((resolve) => waiting.push(resolve))
      return {}
    },
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  apps.push(app)
  const { port } = app.server.address() as AddressInfo
  const request = (org: string) => get({ host: '127.0.0.1', port, path: `/${org}`, agent: false })
  const answerOf = async (org: string): Promise<IncomingMessage> => {
    const [answer] = (await once(request(org), 'response')) as [IncomingMessage]
    answer.resume()
    return answer
  }
  return {
    /** Starts an export, and waits until it runs. */
    begin: async (org: string) => {
      const before = waiting.length
      const begun = request(org).on('error', () => undefined)
      await expect.poll(() => waiting.length).toBe(before + 1)
      return begun
    },
    statusOf: async (org: string) => (await answerOf(org)).statusCode,
    answerOf,
    request,
    finish: () => {
      for (const go of waiting.splice(0)) go()
    },
    fail: (isFailing: boolean) => {
      failing = isFailing
    },
    closed: () => closed,
    beforeBegin: (work: (response: ServerResponse) => Promise<void>) => {
      beforeBegin = work
    },
  }
}

describe('concurrent exports', () => {
  it('are limited per organization, and one too many gets a time to retry', async () => {
    const { begin, answerOf, finish } = await serve(2)
    await begin('a')
    await begin('a')
    const { statusCode, headers } = await answerOf('a')
    expect([statusCode, headers['retry-after']]).toEqual([429, '10'])
    await begin('b')
    finish()
  })

  it('are limited for all organizations together', async () => {
    const { begin, statusOf, finish } = await serve(2, 3)
    for (const org of ['a', 'a', 'b']) await begin(org)
    expect(await statusOf('b')).toBe(429)
    expect(await statusOf('c')).toBe(429)
    finish()
  })

  it('no longer count when they end, fail or lose their reader', async () => {
    const { begin, statusOf, closed, finish, fail } = await serve(1)
    await begin('a')
    finish()
    await expect.poll(closed).toBe(1)
    fail(true)
    expect(await statusOf('a')).toBe(500)
    fail(false)
    await expect.poll(closed).toBe(2)
    for (let left = 3; left < 6; left += 1) {
      const reader = await begin('a')
      reader.destroy()
      await expect.poll(closed).toBe(left)
    }
    await begin('a')
    expect(await statusOf('a')).toBe(429)
    finish()
  })

  it('do not count when the reader left before they began', async () => {
    const { request, begin, beforeBegin, finish } = await serve(1)
    const left: string[] = []
    beforeBegin(async (response) => {
      left.push('is there')
      await once(response, 'close')
      left.push('is gone')
    })
    const reader = request('a').on('error', () => undefined)
    await expect.poll(() => left).toHaveLength(1)
    reader.destroy()
    await expect.poll(() => left).toHaveLength(2)
    beforeBegin(() => Promise.resolve())
    await begin('b')
    await begin('a')
    finish()
  })
})
