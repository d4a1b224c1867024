import { shortId } from '@hufu/contract/merchant-rights'
import type { UserRow } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'

type Named = Pick<UserRow, 'id' | 'nickname' | 'username' | 'mobile'>

/** The name of a user where there is room for one. */
export const callName = ({ id, nickname, username, mobile }: Named) => nickname ?? username ?? mobile ?? shortId(id)

export const userPath = (id: string) => pages.merchantUser.replace(':id', id)
