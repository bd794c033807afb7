/** Pages of lists (specification, "Limits": by default page 1 and 50 items). */
import { Type } from 'typebox'

export const PAGE_DEFAULT = { page: 1, limit: 50 } as const
/** With the largest limit, the number of skipped rows still fits into a number. */
const PAGE_MAX = 1_000_000_000

export type Paging = { page: number; limit: number }

/** @param limitMax the operator's maximum (OP-18) */
export const pagingQuery = (limitMax: number) => ({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT.page })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limitMax, default: PAGE_DEFAULT.limit }),
  ),
})

export const pagination = Type.Object({
  page: Type.Integer({ minimum: 1 }),
  limit: Type.Integer({ minimum: 1 }),
  total: Type.Integer({ minimum: 0 }),
  pages: Type.Integer({ minimum: 0 }),
})

export const paginationOf = ({ page, limit }: Paging, total: number) => ({
  page,
  limit,
  total,
  pages: Math.ceil(total / limit),
})
