import type { useScope } from '../../shell/organization.ts'
import type { LogQuery } from './view.ts'

export const LOGS_PATH = '/console/api/edge/logs'
export const HISTOGRAM_PATH = '/console/api/edge/histogram'
export const QUERY_PATH = '/console/api/edge/query'
export const SUGGESTIONS_PATH = '/console/api/edge/suggestions'
export const TRENDS_PATH = '/console/api/edge/errors/trends'

/** Organization, mode and filters of a query for logs. */
export type ScopedLogQuery = ReturnType<typeof useScope> & LogQuery
export const VALUES_PATH = '/console/api/edge/values'
export const SERIES_PATH = '/console/api/edge/series'
export const PANELS_PATH = '/console/api/edge/panels'
export const MEMBERS_PATH = '/console/api/edge/members'
