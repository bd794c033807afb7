export {
  type ErrorFacts,
  type ErrorGroup,
  GROUPING_VERSION,
  groupError,
} from './fingerprint.ts'
export { messageTemplate } from './message-template.ts'
