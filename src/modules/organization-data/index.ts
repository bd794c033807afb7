/** All data of one organization: its export and its deletion. */
export {
  countRows,
  deleteOwnUsers,
  deleteRows,
  findName,
  RETAINED_TABLES,
} from './deletion.store.ts'
export { exportRows } from './export.store.ts'
