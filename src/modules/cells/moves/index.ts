/** Moves organizations between cells. */
export { findMoveUnderWay, insertMove, type MoveRow } from './directory.store.ts'
export { cancelMove, type MoveSide, moveOrganization } from './move.ts'
