/**
 * Row types by table, named as in the migrations. It is an interface so that the product can add its
 * tables in src/modules/tables.ts.
 */
import type { CryptoTables } from '../crypto/tables.ts'
import type { LookupTables } from '../lookup-cache/tables.ts'
import type { SpoolTables } from '../spool/tables.ts'
import type { StateTables } from '../states/tables.ts'

export interface Tables extends CryptoTables, LookupTables, SpoolTables, StateTables {}
