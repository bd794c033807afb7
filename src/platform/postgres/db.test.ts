import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { backendOf } from '../../../test/support/locks.ts'
import { createLog } from '../log.ts'
import { openDatabase, pingDatabase } from './db.ts'

const other = testDatabase()

async function withPool(
  size: number,
  run: (db: typeof other) => Promise<void>,
  server = inject('postgres'),
): Promise<void> {
  const db = openDatabase({
    server,
    pool_size: size,
    prepared_statements: true,
    log: createLog('silent'),
  })
  try {
    await run(db)
  } finally {
    await db.destroy()
  }
}

const terminate = async (pid: number): Promise<void> => {
  await sql`select pg_terminate_backend(${pid}, 5000)`.execute(other)
}

/** Waits until a statement that sleeps is running, because a backend without one ends differently. */
async function untilSleeping(database: string): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where datname = ${database} and state = 'active'
        and query like 'select pg_sleep(30)%'`.execute(other)
    if (rows[0]) return rows[0].pid
  }
}

describe('a connection that breaks', () => {
  it('while it is checked out and idle fails only its transaction', async () => {
    await withPool(1, async (db) => {
      const broken = db.transaction().execute(async (tx) => {
        await terminate(await backendOf(tx))
        await sql`select 1`.execute(tx)
      })
      await expect(broken).rejects.toThrow(/terminat|not queryable/i)
      await pingDatabase(db)
    })
  })

  it('during a statement fails only that statement', async () => {
    await withPool(2, async (db) => {
      const statement = sql`select pg_sleep(30)`.execute(db)
      const failed = expect(statement).rejects.toThrow(/terminat/)
      await terminate(await untilSleeping(inject('postgres').database))
      await failed
      await pingDatabase(db)
    })
  })

  it('is not used again while the server is closing it', async () => {
    await withRelay(async (relay) => {
      relay.holdClosing()
      const server = { ...inject('postgres'), host: relay.host }
      await withPool(
        1,
        async (db) => {
          const failed = expect(sql`select pg_sleep(30)`.execute(db)).rejects.toThrow(/terminat/)
          const pid = await untilSleeping(server.database)
          await terminate(pid)
          await failed
          expect(await backendOf(db)).not.toBe(pid)
        },
        server,
      )
    })
  })

  it('while it is unused is replaced', async () => {
    await withPool(1, async (db) => {
      const first = await backendOf(db)
      await terminate(first)
      expect(await backendOf(db).catch(async () => await backendOf(db))).not.toBe(first)
    })
  })
})

describe('a server that stops answering', () => {
  it('fails waiting statements at their time limit and closes the connection', async () => {
    await withRelay(async (relay) => {
      const db = openDatabase({
        server: { ...inject('postgres'), host: relay.host },
        pool_size: 1,
        prepared_statements: true,
        query_timeout_ms: 300,
        log: createLog('silent'),
      })
      try {
        await pingDatabase(db)
        relay.stopForwarding()
        const waiting = [
          sql`select 1`.execute(db),
          db.transaction().execute(async (tx) => await sql`select 2`.execute(tx)),
        ]
        for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
        relay.forward()
        await pingDatabase(db)
      } finally {
        await db.destroy()
      }
    })
  })

  it('is awaited without a limit if the time limit is 0', async () => {
    const sleeping = async (query_timeout_ms: number): Promise<unknown> => {
      const db = openDatabase({
        server: inject('postgres'),
        pool_size: 1,
        prepared_statements: true,
        query_timeout_ms,
        log: createLog('silent'),
      })
      try {
        return await sql`select pg_sleep(0.4)`.execute(db)
      } finally {
        await db.destroy()
      }
    }
    await expect(sleeping(100)).rejects.toThrow('Query read timeout')
    await expect(sleeping(0)).resolves.toBeDefined()
  })
})

type Relay = {
  host: string
  stopForwarding(): void
  forward(): void
  /** From now on, clients do not notice that the server closes a connection. */
  holdClosing(): void
}

/** A Unix socket in front of the server, in a separate folder and named as libpq and pg expect. */
async function withRelay(run: (relay: Relay) => Promise<void>): Promise<void> {
  const { host, port } = inject('postgres')
  const name = `.s.PGSQL.${port}`
  const folder = mkdtempSync(join(tmpdir(), 'vigil-relay-'))
  const sockets = new Set<Socket>()
  let isForwarding = true
  let isHolding = false
  const server = createServer((near) => {
    const far = connect(join(host, name))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes: Buffer) => void (isForwarding && to.write(bytes)))
      const close = () => void (isHolding && from === far ? undefined : to.destroy())
      from.on('error', close).on('close', close)
    }
  }).listen(join(folder, name))
  await once(server, 'listening')
  try {
    await run({
      host: folder,
      stopForwarding: () => {
        isForwarding = false
      },
      forward: () => {
        isForwarding = true
      },
      holdClosing: () => {
        isHolding = true
      },
    })
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('values', () => {
  it('of 64-bit integers are numbers, of timestamps are dates, of JSON are objects', async () => {
    const { rows } = await sql`
      select 9007199254740991::bigint as large, count(*) as counted,
        '2026-01-02T03:04:05.678Z'::timestamptz as at, '{"a": [1]}'::json as json
      from (values (1), (2)) as pair`.execute(other)
    expect(rows).toEqual([
      {
        large: 9_007_199_254_740_991,
        counted: 2,
        at: new Date('2026-01-02T03:04:05.678Z'),
        json: { a: [1] },
      },
    ])
  })
})
