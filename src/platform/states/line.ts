/**
 * One connection for writes that must take place in the order in which they are sent, although
 * none waits for the answer to the one before. It is lent for as long as there are such writes.
 */
import type { Database, Db } from '../postgres/db.ts'

export type Line = {
  /** @param write sends one statement, as soon as it is called */
  send<T>(write: (connection: Db) => Promise<T>): Promise<T>
}

type Lent = { connection: Promise<Db>; release: () => void }

export function createLine(db: Database): Line {
  let lent: Lent | undefined
  let underWay = 0

  const finish = () => {
    underWay -= 1
    if (underWay > 0) return
    lent?.release()
    lent = undefined
  }

  return {
    send: async (write) => {
      underWay += 1
      lent ??= lend(db)
      try {
        return await write(await lent.connection)
      } finally {
        finish()
      }
    },
  }
}

function lend(db: Database): Lent {
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
