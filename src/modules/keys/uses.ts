/**
 * When, from where and for what keys were last used. Uses are written apart from requests, once a second
 * and for each key once a minute at most, and are lost when that fails.
 */
import type { Clock } from '../../platform/clock.ts'
import type { App } from '../../platform/http/app.ts'
import { canonicalIp } from '../../platform/http/client-ip.ts'
import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../platform/time-units.ts'
import { type KeyUse, updateKeyUses } from './store.ts'

export type KeyUses = {
  /** @param operation method and route */
  record(keyId: string, address: string, operation: string): void
  flush(): Promise<void>
  start(): void
  /** Writes the last uses and stops the timer. */
  stop(): Promise<void>
}

const FLUSH_MS = 1000
/** Bounds the memory. Uses of further keys are not recorded until the next flush. */
const KEYS_MAX = 10_000
const BAD_REQUEST = 400

type Dependencies = { db: Database; clock: Clock; log: Log }

export function createKeyUses({ db, clock, log }: Dependencies): KeyUses {
  let waiting = new Map<string, KeyUse>()
  let recordedAt = new Map<string, number>()
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const write = async (uses: KeyUse[]): Promise<void> => {
    try {
      await updateKeyUses(db, uses)
    } catch (error) {
      log.debug({ err: error, keys: uses.length }, 'uses of API keys were not written')
    }
  }
  const flush = async (): Promise<void> => {
    await writing
    const uses = [...waiting.values()]
    waiting = new Map()
    if (recordedAt.size >= KEYS_MAX) recordedAt = new Map()
    if (uses.length === 0) return
    writing = write(uses).finally(() => {
      writing = undefined
    })
    await writing
  }

  return {
    record: (key_id, address, operation) => {
      const at = clock.now()
      const last = recordedAt.get(key_id)
      if (last !== undefined && at.getTime() - last < MINUTE_MS) return
      if (last === undefined && recordedAt.size >= KEYS_MAX) return
      recordedAt.set(key_id, at.getTime())
      waiting.set(key_id, { key_id, at, address: canonicalIp(address) ?? address, operation })
    },
    flush,
    start: () => {
      timer = setInterval(() => {
        if (writing === undefined) void flush()
      }, FLUSH_MS)
      timer.unref()
    },
    stop: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Refused requests are no uses, except those with refused content. */
export function recordKeyUses(app: App, uses: KeyUses): void {
  app.addHook('onReady', (done) => {
    uses.start()
    done()
  })
  app.addHook('onClose', uses.stop)
  app.addHook('onResponse', ({ caller, ip, method, routeOptions }, { statusCode }, done) => {
    if (statusCode <= BAD_REQUEST && caller !== undefined && 'key_id' in caller) {
      uses.record(caller.key_id, ip, `${method} ${routeOptions.url ?? ''}`)
    }
    done()
  })
}
