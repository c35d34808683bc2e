/**
 * Accessibility problems of the open page; runs in the browser. Covers what can be computed (WCAG 2.2: 1.3.1, 1.3.5,
 * 1.4.3, 1.4.10, 1.4.11, 2.4.2, 2.5.8, 3.1.1, 3.3.2).
 */
export const AUDIT = String.raw`(() => {
  const findings = [];
  const check = (isRight, what) => { if (!isRight) findings.push(what); };
  const all = (selector) => [...document.querySelectorAll(selector)];
  const nameOf = (element) => element.tagName.toLowerCase() + (element.id ? '#' + element.id : '') + ' ' +
    (element.textContent || '').trim().slice(0, 30);
  const isVisible = (element) => element.getClientRects().length > 0;

  // Colours: blend what is translucent with what is behind it.
  const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); return { rgb: n.slice(0, 3), alpha: n[3] ?? 1 }; };
  const blend = (over, under) => over.rgb.map((part, index) => part * over.alpha + under[index] * (1 - over.alpha));
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const { rgb, alpha } = parse(getComputedStyle(element).backgroundColor);
    return alpha === 1 ? rgb : blend({ rgb, alpha }, behind(element.parentElement));
  };
  const luminance = (rgb) => rgb
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };

  check(document.documentElement.lang === 'en', 'no language');
  check(document.title.trim() !== '', 'no title');
  check(all('h1').length === 1, all('h1').length + ' h1');
  check(all('main').length === 1, 'no main');
  const levels = all('h1,h2,h3,h4,h5,h6').map(({ tagName }) => Number(tagName[1]));
  levels.forEach((level, index) => check(level <= (levels[index - 1] ?? 0) + 1, 'heading level ' + level + ' is skipped to'));
  const ids = all('[id]').map(({ id }) => id);
  check(new Set(ids).size === ids.length, 'an id occurs twice: ' + ids);
  for (const element of all('[aria-describedby],[aria-labelledby]'))
    for (const id of ((element.getAttribute('aria-describedby') || '') + ' ' + (element.getAttribute('aria-labelledby') || '')).split(' '))
      check(id === '' || document.getElementById(id), nameOf(element) + ' is described by nothing');
  for (const input of all('input:not([type=hidden])').filter(isVisible)) {
    check([...input.labels].some((label) => label.textContent.trim()), nameOf(input) + ' has no label');
    check(input.autocomplete, nameOf(input) + ' has no autocomplete');
    check(contrast(parse(getComputedStyle(input).borderTopColor).rgb, behind(input)) >= 3, nameOf(input) + ' has a faint border');
  }
  for (const element of all('button,a')) check(element.textContent.trim(), 'a control has no name: ' + element.outerHTML);
  const names = all('button').map((button) => button.getAttribute('aria-label') || button.textContent.trim());
  check(new Set(names).size === names.length, 'buttons have the same name: ' + names);
  for (const element of all('button,input:not([type=hidden])').filter(isVisible)) {
    const { width, height } = element.getBoundingClientRect();
    check(width >= 44 && height >= 44, nameOf(element) + ' is small: ' + width + ' × ' + height);
  }
  const texts = all('body *').filter((element) => isVisible(element) && [...element.childNodes].some((node) =>
    node.nodeType === Node.TEXT_NODE && node.textContent.trim()));
  for (const element of texts) {
    const ratio = contrast(parse(getComputedStyle(element).color).rgb, behind(element));
    check(ratio >= 4.5, nameOf(element) + ' has a contrast of ' + ratio.toFixed(2));
  }
  check(document.documentElement.scrollWidth <= window.innerWidth, 'scrolls sideways: ' + document.documentElement.scrollWidth);
  check(getComputedStyle(document.querySelector('main')).borderRadius !== '0px', 'the style sheet is not applied');
  return findings;
})()`;

/** The focused element's name and outline; runs in the browser. */
export const FOCUS = String.raw`(() => {
  const { activeElement } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
  return {
    name: activeElement.name || (activeElement.textContent || '').trim(),
    value: activeElement.tagName === 'BUTTON' ? activeElement.value : '',
    isVisible: outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2,
  };
})()`;
