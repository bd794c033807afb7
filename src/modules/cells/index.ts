/** The cells of an installation: databases, or schemas of a database, that hold organizations. */
export {
  type CellRow,
  createSchema,
  findCellOf,
  findIdentity,
  hasOrganizations,
  insertCell,
  listCells,
  listOpenCells,
  setCellOpen,
} from './store.ts'

/** The cell in the database of the directory, which every installation has. */
export const MAIN_CELL = 'main'
