import { convertMenu } from '@hufu/contract/wechat-menu'
import { jsonFault } from '../../lib/json/json-fault.ts'
import type { EditorFault } from '../../ui/json-editor/json-marks.ts'
import type { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'

type Data = Record<string, unknown>
type Words = (typeof merchantWechatZhCN)['menu']

/** `data` is missing where the text is no JSON. */
export interface ReadMenu {
  data?: Data
  faults: EditorFault[]
}

export const writeMenu = (data: unknown): string => JSON.stringify(data, null, 2)

/** The text of the editor, and every reason why WeChat would refuse it. */
export function readMenu(text: string, words: Words): ReadMenu {
  const broken = jsonFault(text)
  if (broken) return { faults: [broken] }
  const data = JSON.parse(text) as Data
  const result = convertMenu(data)
  if ('menu' in result) return { data, faults: [] }
  return {
    data,
    faults: result.faults.map(({ path, place, reason }) => ({ path, message: words.fault(place, reason) })),
  }
}

export const isEmptyMenu = ({ button }: Data): boolean => Array.isArray(button) && button.length === 0

/** A start for an account that has none. */
export const exampleMenu = (site: string) => ({
  button: [
    { type: 'view', name: '官网', url: site },
    {
      name: '服务',
      sub_button: [
        { type: 'view', name: '用户中心', url: `${site}/user` },
        { type: 'view', name: '意见反馈', url: `${site}/user/feedback` },
        { type: 'click', name: '联系客服', key: 'CONTACT' },
      ],
    },
  ],
})
