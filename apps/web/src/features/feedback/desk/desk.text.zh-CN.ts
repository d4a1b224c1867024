import { noteMost, replyTextMost, replyTitleMost } from '@hufu/contract/feedback-rules'

/** The sentences that operators alone read beside a conversation. */
export const deskZhCN = {
  notes: {
    title: '内部备注',
    only: '仅客服可见，用户看不到',
    empty: '还没有备注。处理进展、注意事项都可以记在这里，同事打开就能看到',
    waiting: '正在加载备注',
    field: '备注内容',
    placeholder: '写给同事看的备注',
    counted: (length: number) => `${length} / ${noteMost}`,
    keys: 'Ctrl + Enter 添加',
    add: '添加备注',
    remove: '删除备注',
    removeTitle: '删除这条备注？',
    removeMessage: '删除后其他客服也将看不到它。',
    removeGo: '删除',
    removed: '已删除备注',
  },
  replies: {
    title: '快捷回复',
    titleHint: '快捷回复（在空白处输入 / 也可打开）',
    search: '搜索标题或内容',
    list: '可以插入的快捷回复',
    waiting: '正在加载快捷回复',
    empty: '还没有快捷回复',
    emptyHint: '把常用的答复存在这里，所有客服都能一键插入，改几个字再发送',
    notFound: '没有找到相关的快捷回复',
    keys: '↑ ↓ 选择，Enter 插入',
    manage: '管理',
    manageTitle: '管理快捷回复',
    back: '返回',
    close: '关闭',
    add: '新增快捷回复',
    keep: '存为快捷回复',
    change: (title: string) => `修改「${title}」`,
    changeTitle: '修改快捷回复',
    remove: (title: string) => `删除「${title}」`,
    removeMessage: '删除后所有客服都不能再使用它。',
    removeGo: '删除',
    titleField: '标题',
    titlePlaceholder: '例如：催发货',
    textField: '内容',
    titleBlank: '请输入标题',
    textBlank: '请输入内容',
    titleLong: `标题最多 ${replyTitleMost} 个字符`,
    textLong: `内容最多 ${replyTextMost} 个字符`,
    counted: (length: number) => `${length} / ${replyTextMost}`,
    cancel: '取消',
    save: '保存',
    saved: '修改成功',
    removed: '已删除快捷回复',
  },
  /** An operator whose name isn't known. */
  otherOperator: '其他客服',
  answering: ([one = '', two, ...more]: string[]) => {
    if (two === undefined) return `${one} 正在回复`
    if (more.length === 0) return `${one}、${two} 正在回复`
    return `${one}、${two} 等 ${more.length + 2} 人正在回复`
  },
  rated: '用户评价',
}
