/** The cells of an installation: databases, or schemas of a database, that hold organizations. */

export { completeOrganizations, refuseMoves } from './backup.store.ts'
export {
  cancelMove,
  findMoveUnderWay,
  insertMove,
  type MoveRow,
  type MoveSide,
  moveOrganization,
} from './moves/index.ts'
export {
  type CellRow,
  createSchema,
  findCellOf,
  findIdentity,
  findPlaceOf,
  hasCells,
  hasOrganizations,
  insertCell,
  listCells,
  listOpenCells,
  setCellOpen,
} from './store.ts'

/** The cell in the database of the directory, which every installation has. */
export const MAIN_CELL = 'main'
