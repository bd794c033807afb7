/**
 * One connection for statements that must run in the order in which they are sent, although none
 * waits for the result of the previous one. It is taken from the pool while there are such statements.
 */
import type { Database, Db } from '../postgres/db.ts'

export type SharedConnection = {
  /** @param run must send its statement synchronously */
  send<T>(run: (connection: Db) => Promise<T>): Promise<T>
}

type Checkout = { connection: Promise<Db>; release: () => void }

export function createSharedConnection(db: Database): SharedConnection {
  let checkout: Checkout | undefined
  let running = 0

  const finish = () => {
    running -= 1
    if (running > 0) return
    checkout?.release()
    checkout = undefined
  }

  return {
    send: async (run) => {
      running += 1
      checkout ??= checkOut(db)
      try {
        return await run(await checkout.connection)
      } finally {
        finish()
      }
    },
  }
}

function checkOut(db: Database): Checkout {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const connection = new Promise<Db>((resolve, reject) => {
    db.connection()
      .execute(async (handle) => {
        resolve(handle)
        await released
      })
      .catch(reject)
  })
  return { connection, release: () => release() }
}
