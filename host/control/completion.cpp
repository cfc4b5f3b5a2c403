// SPDX-License-Identifier: Apache-2.0
/// pagepressctl completion: what a shell reads to complete its command lines, made from the options that the commands declare.
#include <sstream>

#include "command.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

bool is_word(const Declared& option) { return option.names[0] != '-'; }
bool is_disk(const Declared& option) { return option.names == "DEVICE"; }

/// `text` inside '…', where zsh's _arguments also reads [ ] and :.
std::string for_zsh(const std::string& text) {
    std::string result;
    for (char letter : text) {
        if (letter == '\'') result += "'\\'";
        if (letter == '[' || letter == ']' || letter == ':') result += '\\';
        result += letter;
    }
    return result;
}

std::string bash(const std::vector<std::unique_ptr<Command>>& commands) {
    std::vector<std::string> names;
    std::string cases;
    for (const auto& command : commands) {
        std::vector<std::string> options, files;
        std::string values;
        bool disks = false;
        for (const Declared& option : options_of(*command)) {
            disks |= is_disk(option);
            if (is_word(option)) {
                options.insert(options.end(), option.choices.begin(), option.choices.end());
                continue;
            }
            auto forms = split(option.names, ',');
            options.insert(options.end(), forms.begin(), forms.end());
            std::string pattern = forms[0] + (forms.size() > 1 ? "|" + forms[1] : "");
            if (!option.choices.empty())
                values += "            " + pattern + ") mapfile -t COMPREPLY < <(compgen -W '" + joined(option.choices) + "' -- \"$word\"); return ;;\n";
            else if (option.takes_value)
                values += "            " + pattern + ") mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n";
        }
        names.push_back(command->name());
        cases += std::string("    ") + command->name() + ")\n        case $before in\n" + values + "        esac\n        options='" + joined(options) +
                 (disks ? " '$(cd /sys/block && compgen -G 'pagepress*')" : "'") + " ;;\n";
    }
    return "# bash completion of pagepressctl, made by pagepressctl completion bash\n"
           "_pagepressctl() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options\n"
           "    case ${COMP_CWORD}:${COMP_WORDS[1]} in 1:*) options='" + joined(names) + " --help --version' ;; *) case ${COMP_WORDS[1]} in\n" +
           cases + "    esac ;; esac\n    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n}\ncomplete -o default -F _pagepressctl pagepressctl\n";
}

std::string zsh(const std::vector<std::unique_ptr<Command>>& commands) {
    std::string list, cases;
    for (const auto& command : commands) {
        list += std::string("        '") + command->name() + ":" + for_zsh(command->summary()) + "'\n";
        cases += std::string("    ") + command->name() + ") _arguments";
        for (const Declared& option : options_of(*command)) {
            std::string action = !option.choices.empty() ? "(" + joined(option.choices) + ")" : is_disk(option) ? "_pagepress_disks" : "_files";
            if (is_word(option)) {
                cases += std::string(" \\\n        '") + (option.repeats ? "*:" : ":") + option.names + ":" + action + "'";
                continue;
            }
            auto forms = split(option.names, ',');
            for (const std::string& form : forms)
                cases += " \\\n        '(" + joined(forms) + ")" + form + "[" + for_zsh(option.help) + "]" +
                         (option.takes_value ? ":value:" + action : "") + "'";
        }
        cases += " ;;\n";
    }
    return "#compdef pagepressctl\n# zsh completion of pagepressctl, made by pagepressctl completion zsh\n"
           "_pagepress_disks() { compadd -- /sys/block/pagepress*(N:t) }\n"
           "_pagepressctl() {\n"
           "    local -a commands=(\n" + list + "    )\n"
           "    if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
           "    local command=$words[2]\n    shift words; (( CURRENT-- ))\n    case $command in\n" + cases + "    esac\n}\n"
           "_pagepressctl \"$@\"\n";
}

class Completion : public Command {
    const char* name() const override { return "completion"; }
    const char* summary() const override { return "what bash or zsh read to complete command lines"; }
    const char* notes() const override { return "The package pagepress-tools installs it for both: . <(pagepressctl completion bash) does without.\n"; }
    void declare(Arguments& arguments) override { arguments.choice("SHELL", shell_, {"bash", "zsh"}, "bash or zsh (default bash)"); }

    ExitCode run(const Machine&) override {
        auto commands = all_commands();
        print(shell_ == "zsh" ? zsh(commands) : bash(commands));
        return FINE;
    }

    std::string shell_ = "bash";
};

}  // namespace

std::unique_ptr<Command> completion_command() { return std::make_unique<Completion>(); }

}  // namespace pagepressctl
