/**
 * Kysely's PostgreSQL dialect, except that BEGIN and COMMIT need not cost a round trip: BEGIN is
 * sent ahead of the first statement, COMMIT right behind one that is marked as the last, over a
 * connection that lets statements queue on the wire (`pipeline`).
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

export class PipeliningDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(config: PostgresDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): Driver {
    return new PipeliningDriver(this.#config)
  }
}

const LAST = '/* last */'

/**
 * Marks the statement after which a transaction only has to be committed, so that both travel
 * together. When it fails, the server takes the COMMIT for a ROLLBACK; a statement after it is
 * refused. Outside of a transaction the mark means nothing.
 */
export const lastStatement = <T>(statement: RawBuilder<T>): RawBuilder<T> =>
  sql<T>`${sql.raw(LAST)}${statement}`

type Begun = { begin: Promise<unknown>; commit: Promise<unknown> | undefined }

class PipeliningDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Begun>()
  readonly #prepared = new WeakSet<DatabaseConnection>()

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    if (!this.#prepared.has(connection)) this.#commitBehindLast(connection)
    return connection
  }

  #commitBehindLast(connection: DatabaseConnection): void {
    this.#prepared.add(connection)
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      const begun = this.#begun.get(connection)
      if (begun?.commit) throw new Error('a statement after the last one of its transaction')
      const answer = execute<R>(query)
      if (begun && query.sql.startsWith(LAST)) {
        begun.commit = execute(CompiledQuery.raw('commit'))
        // Asked about at the commit; until then a failure must not end the process.
        begun.commit.catch(() => undefined)
      }
      return await answer
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
    this.#begun.set(connection, { begin, commit: undefined })
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const begun = this.#begun.get(connection)
    this.#begun.delete(connection)
    await begun?.begin
    if (begun?.commit) await begun.commit
    else await super.commitTransaction(connection)
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const begun = this.#begun.get(connection)
    this.#begun.delete(connection)
    // Behind a statement that failed, the COMMIT was a ROLLBACK already.
    if (begun?.commit) await begun.commit.catch(() => undefined)
    else await super.rollbackTransaction(connection)
  }
}
