/**
 * Kysely's PostgreSQL dialect without the round trips of BEGIN and COMMIT: BEGIN is sent together
 * with the first statement, and COMMIT together with a statement that is marked as the last, over a
 * pipelining connection.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type QueryResult,
  type RawBuilder,
  sql,
  type TransactionSettings,
} from 'kysely'
import type { DatabaseWatch } from './watch.ts'

export class PipeliningDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig
  readonly #watch: DatabaseWatch | undefined

  constructor(config: PostgresDialectConfig, watch?: DatabaseWatch) {
    super(config)
    this.#config = config
    this.#watch = watch
  }

  override createDriver(): Driver {
    return new PipeliningDriver(this.#config, this.#watch)
  }
}

const LAST = '/* last */'

/**
 * Marks the last statement of a transaction, so that COMMIT is sent together with it. If it fails,
 * the server treats the COMMIT as a ROLLBACK. A statement after it is refused. Outside of a
 * transaction the mark has no effect.
 */
export const lastStatement = <T>(statement: RawBuilder<T>): RawBuilder<T> =>
  sql<T>`${sql.raw(LAST)}${statement}`

type OpenTransaction = { begin: Promise<unknown>; commit: Promise<unknown> | undefined }

class PipeliningDriver extends PostgresDriver {
  readonly #open = new WeakMap<DatabaseConnection, OpenTransaction>()
  readonly #prepared = new WeakSet<DatabaseConnection>()
  readonly #watch: DatabaseWatch | undefined

  constructor(config: PostgresDialectConfig, watch: DatabaseWatch | undefined) {
    super(config)
    this.#watch = watch
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#acquire()
    if (!this.#prepared.has(connection)) this.#commitBehindLast(connection)
    return connection
  }

  async #acquire(): Promise<DatabaseConnection> {
    const begun = performance.now()
    try {
      const connection = await super.acquireConnection()
      this.#watch?.countWait((performance.now() - begun) / 1000)
      return connection
    } catch (error) {
      this.#watch?.countError(error)
      throw error
    }
  }

  #commitBehindLast(connection: DatabaseConnection): void {
    this.#prepared.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const open = this.#open.get(connection)
      if (open?.commit)
        throw new Error('a statement was sent after the last one of its transaction')
      const result = execute<R>(query)
      result.catch((error: unknown) => this.#watch?.countError(error))
      if (open && query.sql.startsWith(LAST)) {
        open.commit = execute(CompiledQuery.raw('commit'))
        // `commitTransaction` awaits it; until then a rejection must not end the process.
        open.commit.catch(() => undefined)
      }
      return await result
    }
  }

  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    if (settings.isolationLevel !== undefined || settings.accessMode !== undefined) {
      await super.beginTransaction(connection, settings)
      return
    }
    const begin = connection.executeQuery(CompiledQuery.raw('begin'))
    begin.catch(() => undefined)
    this.#open.set(connection, { begin, commit: undefined })
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const open = this.#open.get(connection)
    this.#open.delete(connection)
    await open?.begin
    if (open?.commit) await open.commit
    else await super.commitTransaction(connection)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const open = this.#open.get(connection)
    this.#open.delete(connection)
    // After a failed statement, the COMMIT was already a ROLLBACK.
    if (open?.commit) await open.commit.catch(() => undefined)
    else await super.rollbackTransaction(connection)
  }
}
