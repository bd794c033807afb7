import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { openRedis } from '../redis.ts'
import { createRateLimits, type RateLimits } from './rate-limit.ts'

const LIMITS = {
  check: { points: 3, window_seconds: 60 },
  read: { points: 1, window_seconds: 2 },
}
type Class = keyof typeof LIMITS

async function consume(
  limits: RateLimits<Class>,
  times: number,
  key = 'org',
): Promise<(number | undefined)[]> {
  const outcomes: (number | undefined)[] = []
  for (let n = 0; n < times; n += 1) outcomes.push(await limits.consume('check', key))
  return outcomes
}

describe('a rate limit', () => {
  it('lets the configured number through and then returns the seconds to wait', async () => {
    const outcomes = await consume(createRateLimits(LIMITS, undefined), 5)
    expect(outcomes.slice(0, 3)).toEqual([undefined, undefined, undefined])
    for (const seconds of outcomes.slice(3)) {
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(60)
      expect(Number.isInteger(seconds)).toBe(true)
    }
  })

  it('counts keys and classes separately', async () => {
    const limits = createRateLimits(LIMITS, undefined)
    expect(await limits.consume('read', 'one')).toBeUndefined()
    expect(await limits.consume('read', 'one')).toBeGreaterThanOrEqual(1)
    expect(await limits.consume('read', 'two')).toBeUndefined()
    expect(await limits.consume('check', 'one')).toBeUndefined()
  })
})

describe('processes that report to each other', () => {
  it('share a limit, and refusals count once', async () => {
    type Report = (limit: string, key: string, points: number) => void
    const listeners: Report[] = []
    const newProcess = () => {
      let own: Report = () => {}
      return createRateLimits(LIMITS, undefined, {
        siblings: {
          reportPoints: (...report) => {
            for (const listener of listeners) if (listener !== own) listener(...report)
          },
          onPoints: (listener) => {
            own = listener
            listeners.push(listener)
          },
        },
      })
    }
    const [first, second] = [newProcess(), newProcess()]
    expect(await consume(first, 2)).toEqual([undefined, undefined])
    expect(await consume(second, 1)).toEqual([undefined])
    expect(await second.consume('check', 'org')).toBeGreaterThanOrEqual(1)
    expect(await first.consume('check', 'org')).toBeGreaterThanOrEqual(1)
    expect(await first.consume('check', 'other')).toBeUndefined()
  })
})

describe('without a reachable Redis', () => {
  it('no request is refused for lack of a counter, and each node counts by itself', async () => {
    const redis = openRedis(`redis://127.0.0.1:${await closedPort()}`, createLog('silent'))
    try {
      const limits = createRateLimits(LIMITS, redis)
      expect(await consume(limits, 3)).toEqual([undefined, undefined, undefined])
      expect(await limits.consume('check', 'org')).toBeGreaterThanOrEqual(1)
    } finally {
      redis.disconnect()
    }
  })

  it.each([
    ['never answers', () => undefined],
    ['answers with errors', (socket: Socket) => socket.write('-ERR go away\r\n')],
    ['answers nonsense', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')],
  ])('a server that %s refuses no request', async (_, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => answer(socket))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const redis = openRedis(`redis://127.0.0.1:${portOf(server)}`, createLog('silent'))
    try {
      await once(redis, 'connect')
      const limits = createRateLimits({ check: { points: 1000, window_seconds: 60 } }, redis)
      const outcomes = Array.from({ length: 50 }, () => limits.consume('check', 'org'))
      expect(new Set(await Promise.all(outcomes))).toEqual(new Set([undefined]))
    } finally {
      redis.disconnect()
      server.close()
    }
  })
})

describe('with a Redis that stops answering', () => {
  it('is skipped after a few faults, so that requests do not wait for it', async () => {
    let commands = 0
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes: Buffer) => {
        for (const command of bytes
          .toString()
          .toLowerCase()
          .split(/^(?=\*\d+\r\n)/m)) {
          if (command.includes('eval')) commands += 1
          else if (command.includes('\r\ninfo')) socket.write('$15\r\nredis_version:7\r\n')
          else socket.write('+OK\r\n')
        }
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const redis = openRedis(`redis://127.0.0.1:${portOf(server)}`, createLog('silent'))
    try {
      await once(redis, 'ready')
      const limits = createRateLimits({ check: { points: 9, window_seconds: 60 } }, redis)
      const outcomes: (number | undefined)[] = []
      for (let n = 0; n < 10; n += 1) outcomes.push(await limits.consume('check', 'org'))
      expect(commands).toBe(3)
      expect(outcomes.slice(0, 9).every((seconds) => seconds === undefined)).toBe(true)
      expect(outcomes[9]).toBeGreaterThanOrEqual(1)
    } finally {
      redis.disconnect()
      server.close()
    }
  })
})

const program = ['redis-server', 'valkey-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
)

describe.runIf(program !== undefined)('with a real Redis or Valkey', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-redis-'))
  let stop: () => Promise<unknown> = () => Promise.resolve()
  let url = ''

  beforeAll(async () => {
    const port = await closedPort()
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    const server = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    url = `redis://127.0.0.1:${port}`
    stop = async () => {
      const exited = once(server, 'exit')
      server.kill()
      await exited
    }
    await new Promise<void>((resolve) => {
      server.stdout.on('data', (text: Buffer) => {
        if (text.includes('Ready to accept')) resolve()
      })
    })
  })

  afterAll(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('nodes share a limit', async () => {
    const nodes = [openRedis(url, createLog('silent')), openRedis(url, createLog('silent'))]
    try {
      await Promise.all(nodes.map((redis) => redis.ping().catch(() => once(redis, 'ready'))))
      const [one, two] = nodes.map((redis) => createRateLimits(LIMITS, redis))
      if (!one || !two) throw new Error('two nodes were opened')
      expect(await consume(one, 2)).toEqual([undefined, undefined])
      expect(await consume(two, 1)).toEqual([undefined])
      expect(await one.consume('check', 'org')).toBeGreaterThanOrEqual(1)
      expect(await two.consume('check', 'org')).toBeGreaterThanOrEqual(1)
    } finally {
      for (const redis of nodes) redis.disconnect()
    }
  })
})

/** A port that was free a moment ago, without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
